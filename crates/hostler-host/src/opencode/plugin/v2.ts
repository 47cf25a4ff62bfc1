
// ---- OpenCode 2 -------------------------------------------------------------------------------------------------

/** What is registered can be taken back. */
interface Registration {
  dispose?(): unknown
}
type HookOf = (name: string, callback: (event: Fields) => unknown) => unknown
interface ToolEditor {
  add(tool: Fields): void
}

/** The part of the host's plugin context that is used; none of it is taken for granted. */
interface Context {
  location?: { directory?: string }
  tool?: { hook?: HookOf; transform?(change: (editor: ToolEditor) => void): unknown }
  session?: { hook?: HookOf; get?(input: Fields): Promise<unknown>; prompt?(input: Fields): Promise<unknown> }
  shell?: { hook?: HookOf }
  permission?: { hook?: HookOf }
  event?: { subscribe?(options: { signal: AbortSignal }): unknown }
}

/** Tools have other names here than in the version before; the bridge knows those. */
const TOOL_NAMES: Record<string, string> = { shell: "bash", patch: "apply_patch", subagent: "task" }
/** Actions of permissions, as the tools that they belong to. */
const ACTION_TOOLS: Record<string, (resource: string) => Fields> = {
  shell: (resource) => ({ tool: "bash", args: { command: resource } }),
  edit: (resource) => ({ tool: "edit", args: { filePath: resource, oldString: "", newString: "" } }),
  read: (resource) => ({ tool: "read", args: { filePath: resource } }),
}
/** The action of each tool that is not called like it. */
const ACTIONS_OF: Record<string, string> = { bash: "shell", write: "edit", apply_patch: "edit" }
/** Tools whose `path` is called `filePath` by the bridge. */
const WITH_FILE = ["read", "edit", "write"]
const TURN_ENDS = ["session.execution.succeeded", "session.execution.failed", "session.execution.interrupted"]
const RETRY_MS = 1_000

/** Marks prompts that the plugin sends itself. */
const OURS = { hostler: true }

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** A call in the words that the bridge reads. */
function translated(tool: string, input: unknown): { tool: string; args: unknown } {
  const name = TOOL_NAMES[tool] ?? tool
  if (!WITH_FILE.includes(name) || !isRecord(input) || !("path" in input)) return { tool: name, args: input }
  const { path, ...rest } = input
  // What the host reads comes last, so that nothing else stands in its place.
  return { tool: name, args: Object.assign({ filePath: path }, rest, { filePath: path }) }
}

/** Changed arguments in the host's words. */
function translatedBack(args: Fields): Fields {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key === "filePath" ? "path" : key, value]))
}

/** Only an error of this kind is a denial for the host; any other one is a fault of the plugin. */
function denial(reason: string): Error {
  return Object.assign(new Error(reason), { _tag: "Tool.Error" as const })
}

/** A result in the words that the bridge reads: parts as parts, text as text. */
function told(result: unknown): Fields {
  const { content, output, metadata } = isRecord(result) ? result : {}
  if (Array.isArray(content)) return { content, metadata }
  return { title: "", output: text(content) || text(output), metadata }
}

function annotated(result: unknown, note: string): Fields {
  const before = isRecord(result) ? result : {}
  const { content } = before
  if (Array.isArray(content)) return { ...before, content: [...content, { type: "text", text: note }] }
  return { ...before, content: `${text(content) || text(before["output"])}\n\n${note}` }
}

let spoken = ""

/** There is no log of the host's to write to: what went wrong is said where nobody takes it for an answer, once. */
function speak(line: string): void {
  if (line !== spoken) process.stderr.write(`${line}\n`)
  spoken = line
}

const stderrVoice: Voice = {
  log: (level, message) => {
    if (level === "warn" || level === "error") speak(`hostler: ${message}`)
  },
  toast: (variant, message) => {
    if (variant === "warning" || variant === "error") speak(message)
  },
}

async function setup(ctx: Context): Promise<(() => Promise<void>) | undefined> {
  // The preview inside version 1 calls this too, with a context that can guard nothing; there the other file does.
  if (typeof ctx.tool?.hook !== "function") return undefined
  const directory = ctx.location?.directory ?? process.cwd()
  const mode = hostMode()
  const greeting = { input: { protocol: PROTOCOL, plugin: VERSION, flavour: 2, directory, worktree: directory, pid: process.pid, mode } }
  const bridge = new Bridge(directory, greeting, stderrVoice)
  const opened = await bridge.open()
  if (opened.failure !== undefined) {
    stderrVoice.log("error", `hostler does not guard \`${directory}\`, and lets no tool call through: ${opened.failure}`)
  }
  if (opened.answer?.hello && !opened.answer.hello.active) {
    await bridge.close()
    return undefined
  }

  const queue = new Queue()
  const calls = new Calls()
  const turns = new Turns()
  const agents = new Map<string, string>()
  const users = new Map<string, string>()
  const extras = new Map<string, string[]>()
  const verdicts = new Map<string, { tool: string; reason: string | undefined }>()
  const places = new Map<string, string>()
  const family = new Family(async (session) => {
    const found = await ctx.session?.get?.({ sessionID: session })
    const info = isRecord(found) && isRecord(found["data"]) ? found["data"] : found
    if (!isRecord(info)) return undefined
    const location = isRecord(info["location"]) ? info["location"] : {}
    if (typeof location["directory"] === "string") remember(places, session, location["directory"])
    return { parentID: info["parentID"] as string | undefined }
  })
  const where = async (session: string): Promise<Fields> => {
    const parent = await family.root(session)
    return { session, parent, agent: agents.get(session), directory: places.get(session) ?? directory }
  }
  const ask = async (hook: string, session: string, fields: Fields, limit_ms?: number) =>
    bridge.ask(hook, { ...(await where(session)), ...fields }, limit_ms)

  /** Why a call must not run, or nothing. */
  const judge = async (session: string, call: string, tool: string, args: unknown): Promise<[string | undefined, Fields?]> => {
    const input = { tool, sessionID: session, callID: call }
    const { answer, failure } = await ask("tool.execute.before", session, { input, output: { args } })
    const reason = failure ?? answer?.fault
    const denied = reason === undefined ? answer?.deny : unjudged(reason)
    remember(verdicts, call, { tool, reason: denied })
    if (denied !== undefined) {
      calls.deny(call)
      stderrVoice.log("info", `${tool} was not run`)
    }
    return [denied, answer?.args]
  }

  const before = async (event: Fields) => {
    const [session, call] = [text(event["sessionID"]), text(event["id"])]
    if (event["agent"]) remember(agents, session, text(event["agent"]))
    const { tool, args } = translated(text(event["tool"]), event["input"])
    calls.judge(call)
    const [denied, changed] = await judge(session, call, tool, args)
    if (denied !== undefined) throw denial(denied)
    if (!changed || !isRecord(event["input"])) return
    const input = { ...event["input"] }
    calls.change(call, input, translatedBack(changed))
    event["input"] = input
  }

  const after = async (event: Fields) => {
    const [session, call] = [text(event["sessionID"]), text(event["id"])]
    const { tool, args } = translated(text(event["tool"]), event["input"])
    const input = shortened({ tool, sessionID: session, callID: call, args })
    if (event["status"] === "error") {
      if (calls.wasDenied(call)) return
      const error = isRecord(event["error"]) ? text(event["error"]["message"]) : text(event["error"])
      await ask("tool.failed", session, { input, output: { error: shortened(error) } })
      return
    }
    const { answer } = await ask("tool.execute.after", session, { input, output: shortened(told(event["result"])) })
    const note = [calls.note(call), answer?.append].filter(Boolean).join("\n")
    if (note) event["result"] = annotated(event["result"], note)
  }

  /** Calls that no tool hook has seen, such as those from inside a program, are judged by what they ask for. */
  const evaluate = async (event: Fields) => {
    const session = text(event["sessionID"])
    const source = isRecord(event["source"]) ? event["source"] : {}
    const call = text(source["callID"]) || text(source["id"])
    const deny = (reason: string) => Object.assign(event, { effect: "deny", message: reason })
    const action = text(event["action"])
    const before = call ? verdicts.get(call) : undefined
    if (before?.reason !== undefined) return void deny(before.reason)
    // A program that was let through has not been asked for what it does.
    if (before && (before.tool === action || ACTIONS_OF[before.tool] === action)) return
    const asked = ACTION_TOOLS[action]
    const resources = Array.isArray(event["resources"]) ? event["resources"].filter((it) => typeof it === "string") : []
    if (!asked) return
    for (const [at, resource] of resources.entries()) {
      const { tool, args } = asked(resource)
      const [denied] = await judge(session, `${call || identifier("per")}:${at}`, text(tool), args)
      if (denied !== undefined) return void deny(denied)
    }
  }

  const prompt = async (event: Fields) => {
    const session = text(event["sessionID"])
    const { metadata } = event
    const id = text(event["messageID"])
    remember(users, session, id)
    turns.begin(session)
    extras.delete(session)
    if (isRecord(metadata) && metadata["hostler"] === true) return
    const given = isRecord(event["prompt"]) ? event["prompt"] : {}
    const files = Array.isArray(given["files"]) ? given["files"].filter(isRecord) : []
    const part = { id: "prompt", sessionID: session, messageID: id, type: "text", text: text(given["text"]) }
    const others = files.map((file, at) => ({ ...file, id: `file-${at}`, type: "file" }))
    const message = { id, sessionID: session, role: "user", agent: agents.get(session) }
    const output = shortened({ message, parts: [part, ...others] })
    const { answer } = await ask("chat.message", session, { input: { sessionID: session }, output })
    const kept = answer?.redact?.find((it) => it.part === "prompt")
    if (kept && isRecord(event["prompt"])) event["prompt"] = { ...given, text: kept.text }
    // What is added to a prompt here does not reach the model; it joins the context of the requests that follow.
    if (answer?.parts) remember(extras, session, answer.parts)
  }

  const addTo = (event: Fields, additions: (string | undefined)[]) => {
    const system = Array.isArray(event["system"]) ? event["system"] : undefined
    for (const addition of additions) {
      if (addition && !system?.some((part) => isRecord(part) && text(part["text"]).includes(addition))) {
        system?.push({ type: "text", text: addition })
      }
    }
  }

  const context = async (event: Fields) => {
    const session = text(event["sessionID"])
    if (event["agent"]) remember(agents, session, text(event["agent"]))
    const model = isRecord(event["model"]) ? { id: event["model"]["id"], providerID: event["model"]["providerID"] } : undefined
    const input = { sessionID: session, model }
    const { answer } = await ask("experimental.chat.system.transform", session, { input })
    addTo(event, [answer?.append, ...(extras.get(session) ?? [])])
  }

  const compaction = async (event: Fields) => {
    const session = text(event["sessionID"])
    const { answer } = await ask("experimental.session.compacting", session, { input: { sessionID: session } })
    addTo(event, answer?.context ?? [])
  }

  const shell = async (event: Fields) => {
    const { answer } = await bridge.ask("shell.env", { directory, input: { cwd: event["cwd"] } })
    event["env"] = { ...(isRecord(event["env"]) ? event["env"] : {}), ...answer?.env }
  }

  const ended = async (session: string) => {
    const last = turns.end(session, users.get(session) ?? "")
    if (!last) return
    const event = { type: "session.idle", properties: { sessionID: session } }
    const { answer } = await ask("event", session, { event, last }, TURN_END_MS_MAX)
    if (!answer?.prompt) return
    if (mode === "run" || !ctx.session?.prompt) return stderrVoice.toast("warning", answer.prompt)
    await ctx.session.prompt({ sessionID: session, text: answer.prompt, delivery: "queue", metadata: OURS })
  }

  const happened = (event: unknown) => {
    if (!isRecord(event) || !isRecord(event["data"])) return
    const { type, data, location } = event
    // The stream is that of all projects that the host works in.
    const place = isRecord(location) ? text(location["directory"]) : ""
    if (place && place !== directory) return
    const session = text(data["sessionID"])
    if (type === "session.text.ended") {
      turns.answers(session, text(data["assistantMessageID"]))
      turns.says(session, text(data["assistantMessageID"]), text(data["text"]))
    } else if (TURN_ENDS.includes(text(type))) {
      queue.add(ended(session))
    } else if (type === "session.created" || type === "session.deleted") {
      const info = isRecord(data["info"]) ? data["info"] : data
      const parentID = info["parentID"] as string | undefined
      if (type === "session.created") family.learn(session, parentID)
      const properties = { sessionID: session, info: { id: session, parentID } }
      queue.add(ask("event", session, { event: { type, properties } }))
      if (type === "session.deleted") family.forget(session)
    }
  }

  const stop = new AbortController()
  const listen = async () => {
    const subscribe = ctx.event?.subscribe?.bind(ctx.event)
    while (subscribe && !stop.signal.aborted) {
      try {
        const stream = (await subscribe({ signal: stop.signal })) as AsyncIterable<unknown>
        for await (const event of stream) happened(event)
      } catch (error) {
        if (!stop.signal.aborted) stderrVoice.log("warn", `the host's events ended: ${reasonOf(error)}`)
      }
      await within(new Promise((resolve) => stop.signal.addEventListener("abort", resolve, { once: true })), RETRY_MS, undefined)
    }
  }

  const registrations: Registration[] = []
  const register = async (domain: { hook?: HookOf } | undefined, name: string, callback: (event: Fields) => unknown) => {
    if (typeof domain?.hook !== "function") return stderrVoice.log("warn", `this host has no hook \`${name}\``)
    const registration = await domain.hook(name, callback)
    if (isRecord(registration)) registrations.push(registration as Registration)
  }
  /** What only tells must not stop the host when it fails. */
  const open = (callback: (event: Fields) => Promise<unknown>) => (event: Fields) =>
    callback(event).then(
      () => undefined,
      (error) => stderrVoice.log("error", reasonOf(error)),
    )

  await register(ctx.tool, "execute.before", before)
  await register(ctx.tool, "execute.after", open(after))
  await register(ctx.permission, "evaluate", evaluate)
  await register(ctx.session, "prompt", open(prompt))
  await register(ctx.session, "context", open(context))
  await register(ctx.session, "compaction", open(compaction))
  await register(ctx.shell, "create.before", open(shell))
  await ctx.tool.transform?.((editor) => {
    for (const tool of bridge.hello?.tools ?? []) {
      editor.add({
        name: tool.name,
        description: tool.description,
        input: { type: "object", properties: tool.args, required: tool.required ?? [], additionalProperties: false },
        // Else it could only be called from inside a program.
        options: { codemode: false },
        execute: async (args: unknown, call: unknown) => {
          const { sessionID, agent, callID, id, signal, abort } = isRecord(call) ? call : {}
          const fields = { ...(await where(text(sessionID))), input: { name: tool.name, args, callID: callID ?? id } }
          const aborted = (signal ?? abort) as AbortSignal | undefined
          return { content: await callTool(bridge, tool.name, agent ? { ...fields, agent } : fields, aborted) }
        },
      })
    }
  })
  void listen()

  return async () => {
    stop.abort()
    for (const registration of registrations) await Promise.resolve(registration.dispose?.()).catch(() => {})
    for (const session of turns.unfinished()) queue.add(ended(session))
    await queue.drain(DISPOSE_MS_MAX)
    await bridge.close()
  }
}

export default { id: "hostler", setup }
