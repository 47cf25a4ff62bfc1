
// ---- OpenCode 1 -------------------------------------------------------------------------------------------------

import type { Plugin, PluginInput, ToolDefinition } from "@opencode-ai/plugin"

type Client = PluginInput["client"]

/** Where a prompt of a session came from, so that ours goes the same way. */
interface Origin {
  agent: string
  model: { providerID: string; modelID: string }
}

function voice(client: Client, mode: Mode, queue: Queue): Voice {
  const send = (what: () => Promise<unknown>) => queue.add(Promise.resolve().then(what))
  return {
    log: (level, message) => send(() => client.app.log({ body: { service: "hostler", level, message } })),
    toast: (variant, message) => {
      if (mode === "run") process.stderr.write(`${message}\n`)
      send(() => client.tui.showToast({ body: { title: "hostler", variant, message } }))
    },
  }
}

function offered(tool: ToolOffer, bridge: Bridge, where: (session: string) => Promise<Fields>): ToolDefinition {
  return {
    description: tool.description,
    // The host takes plain JSON Schema where its types ask for zod.
    args: tool.args as unknown as ToolDefinition["args"],
    async execute(args, context) {
      const { callID } = context as { callID?: string }
      const input = { name: tool.name, args, callID }
      const { agent, directory, sessionID, abort } = context
      return callTool(bridge, tool.name, { ...(await where(sessionID)), agent, directory, input }, abort)
    },
  }
}

export const Hostler: Plugin = async ({ client, directory, worktree }) => {
  const queue = new Queue()
  const mode = hostMode()
  const say = voice(client, mode, queue)
  const greeting = { input: { protocol: PROTOCOL, plugin: VERSION, flavour: 1, directory, worktree, pid: process.pid, mode } }
  const bridge = new Bridge(directory, greeting, say)
  const opened = await bridge.open()
  if (opened.failure !== undefined) {
    say.log("error", `hostler does not guard \`${directory}\`, and lets no tool call through: ${opened.failure}`)
  }
  const hello = opened.answer?.hello
  if (hello && !hello.active) {
    say.log("info", `hostler is not active in \`${directory}\`: \`activation.paths\` of your configuration leaves it out`)
    await bridge.close()
    return {}
  }

  const calls = new Calls()
  const family = new Family(async (session) => (await client.session.get({ path: { id: session } })).data)
  const turns = new Turns()
  const agents = new Map<string, string>()
  const origins = new Map<string, Origin>()
  const users = new Map<string, string>()
  const finished = new Map<string, true>()
  const ours = new Map<string, true>()
  const tools = new Map((hello?.tools ?? []).map((tool) => [tool.name, tool]))

  const where = async (session: string): Promise<Fields> => ({
    session,
    parent: await family.root(session),
    agent: agents.get(session),
    directory,
  })
  const ask = async (hook: string, session: string, fields: Fields, limit_ms?: number) =>
    bridge.ask(hook, { ...(await where(session)), ...fields }, limit_ms)
  /** The turn goes on with `text`; where the host ends with the turn it is only shown. */
  const goOn = async (session: string, text: string) => {
    if (mode === "run") return say.toast("warning", text)
    const messageID = identifier("msg")
    remember(ours, messageID, true)
    const body = { messageID, ...origins.get(session), parts: [{ type: "text" as const, text }] }
    const sent = await client.session.promptAsync({ path: { id: session }, body })
    if (sent.error !== undefined) {
      say.log("error", `a prompt could not be sent: ${JSON.stringify(sent.error).slice(0, 200)}`)
      say.toast("warning", text)
    }
  }

  /** The host starts the servers and shakes hands with them; what came of it is told once. */
  const tellServers = async () => {
    const { data } = await client.mcp.status()
    for (const [name, server] of Object.entries((data ?? {}) as Record<string, { status: string; error?: string }>)) {
      const what = `MCP server \`${name.slice(0, 40)}\``
      if (server.status === "connected") say.log("info", `hostler: ${what} has answered the host`)
      else if (server.status !== "disabled") {
        say.log("warn", `hostler: ${what} has not answered the host: ${(server.error ?? server.status).slice(0, 100)}`)
      }
    }
  }
  let serversTold = false

  const ended = async (session: string, event: Fields) => {
    const last = turns.end(session, users.get(session) ?? "")
    if (!last || !bridge.hello?.events?.includes("session.idle")) return
    const { answer } = await ask("event", session, { event, last }, TURN_END_MS_MAX)
    if (answer?.prompt) await goOn(session, answer.prompt)
  }

  const partUpdated = (properties: Fields): Promise<unknown> | undefined => {
    const part = properties["part"]
    if (!isRecord(part) || part["type"] !== "tool" || !isRecord(part["state"])) return undefined
    const { tool, callID, sessionID, state } = part as { tool: string; callID: string; sessionID: string; state: Fields }
    const input = { tool, callID, sessionID, args: shortened(state["input"]) }
    const { status } = state
    if ((status !== "error" && status !== "completed") || calls.wasDenied(callID) || finished.has(callID)) return undefined
    remember(finished, callID, true)
    if (status === "error") return ask("tool.failed", sessionID, { input, output: { error: shortened(state["error"]) } })
    // What a person ran in the session's shell passes no other hook.
    if (tool !== "bash" || calls.wasJudged(callID)) return undefined
    const output = { output: shortened(state["output"]), metadata: shortened(state["metadata"]) }
    return ask("shell.user", sessionID, { input, output })
  }

  const happened = (event: Fields): Promise<unknown> | undefined => {
    const { type, properties } = event
    if (typeof type !== "string" || !isRecord(properties)) return undefined
    const info = isRecord(properties["info"]) ? properties["info"] : {}
    const session = properties["sessionID"] ?? info["sessionID"] ?? info["id"]
    if (type === "message.part.updated") return partUpdated(properties)
    if (type === "message.updated") {
      if (info["role"] === "assistant") turns.answers(String(session), String(info["id"]))
    } else if (type === "session.created") {
      family.learn(String(session), info["parentID"] as string | undefined)
      if (!serversTold) {
        serversTold = true
        queue.add(tellServers())
      }
    }
    if (type === "session.idle") return ended(String(session), event)
    if (!bridge.hello?.events?.includes(type)) return undefined
    if (typeof session !== "string") return bridge.ask("event", { directory, event: shortened(event) })
    const sent = ask("event", session, { event: shortened(event) })
    if (type === "session.deleted") family.forget(session)
    return sent
  }

  return {
    config: async (config) => {
      const servers = Object.entries(config.mcp ?? {}).map(([name, server]) => {
        const { type, command, url, enabled } = server as Fields
        return [name, { type, command, url, enabled }]
      })
      bridge.stands("config", { directory, input: { mcp: Object.fromEntries(servers) } })
    },

    event: async ({ event }) => {
      const work = happened(event as unknown as Fields)
      if (work) queue.add(work)
    },

    "chat.message": async (input, output) => {
      const { message, parts } = output
      const session = message.sessionID
      remember(agents, session, message.agent)
      remember(origins, session, { agent: message.agent, model: message.model })
      remember(users, session, message.id)
      turns.begin(session)
      if (ours.has(message.id)) return
      const { answer } = await ask("chat.message", session, { input, output: shortened({ message, parts }) })
      for (const { part: id, text } of answer?.redact ?? []) {
        const at = parts.findIndex((part) => part.id === id)
        const part = parts[at]
        if (part?.type === "text") part.text = text
        else if (part) parts[at] = { id, sessionID: session, messageID: message.id, type: "text", text, synthetic: true }
      }
      for (const text of answer?.parts ?? []) {
        const id = identifier("prt")
        parts.push({ id, sessionID: session, messageID: message.id, type: "text", text, synthetic: true })
      }
    },

    "experimental.chat.system.transform": async ({ sessionID, model }, output) => {
      const first = output.system[0]
      // The request for a title is no part of the conversation; nor is one without a session.
      if (!sessionID || first === undefined || first.startsWith("You are a title generator")) return
      const input = { sessionID, model: { id: model.id, providerID: model.providerID } }
      const { answer } = await ask("experimental.chat.system.transform", sessionID, { input })
      const text = answer?.append
      if (text && !first.includes(text)) output.system[0] = `${first}\n\n${text}`
    },

    "experimental.session.compacting": async (input, output) => {
      const { answer } = await ask("experimental.session.compacting", input.sessionID, { input })
      output.context.push(...(answer?.context ?? []))
    },

    "experimental.text.complete": async ({ sessionID, messageID }, output) => {
      turns.says(sessionID, messageID, output.text)
    },

    "shell.env": async (input, output) => {
      const { answer } = input.sessionID
        ? await ask("shell.env", input.sessionID, { input })
        : await bridge.ask("shell.env", { directory, input })
      Object.assign(output.env, answer?.env)
    },

    "tool.definition": async ({ toolID }, output) => {
      const required = tools.get(toolID)?.required
      // The host asks for every argument of a tool of ours, unless its schema is set here.
      const schema = (output as { jsonSchema?: unknown }).jsonSchema
      if (required && isRecord(schema)) Object.assign(output, { jsonSchema: { ...schema, required } })
    },

    "tool.execute.before": async (input, output) => {
      calls.judge(input.callID)
      const { answer, failure } = await ask("tool.execute.before", input.sessionID, { input, output: { args: output.args } })
      const reason = failure ?? answer?.fault
      const denied = reason === undefined ? answer?.deny : unjudged(reason)
      if (denied !== undefined) {
        calls.deny(input.callID)
        say.log("warn", `${input.tool} was not run: ${denied.split("\n", 1)[0]?.slice(0, 300)}`)
        throw new Error(denied)
      }
      if (answer?.args) calls.change(input.callID, output.args, answer.args)
    },

    "tool.execute.after": async (input, output) => {
      const { answer } = await ask("tool.execute.after", input.sessionID, {
        input: shortened(input),
        output: shortened(output),
      })
      const text = [calls.note(input.callID), answer?.append].filter(Boolean).join("\n")
      if (!text) return
      // The result of an MCP tool is a list of parts, whatever the types say.
      const { content } = output as { content?: unknown }
      if (Array.isArray(content)) content.push({ type: "text", text })
      else output.output = `${output.output ?? ""}\n\n${text}`
    },

    dispose: async () => {
      for (const session of turns.unfinished()) {
        queue.add(ended(session, { type: "session.idle", properties: { sessionID: session } }))
      }
      await queue.drain(DISPOSE_MS_MAX)
      await bridge.close()
      await queue.drain(1_000)
    },

    tool: Object.fromEntries([...tools.values()].map((tool) => [tool.name, offered(tool, bridge, where)])),
  }
}
