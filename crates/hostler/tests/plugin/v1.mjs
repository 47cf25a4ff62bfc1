// The plugin for OpenCode 1 alone: a client that only remembers, and the double of the bridge.

import assert from "node:assert/strict"
import { copyFileSync, rmSync } from "node:fs"
import {
  absentPath,
  absentPlugin,
  absentPluginPath,
  doublePath,
  folder,
  lines as linesOf,
  orders,
  plugin,
  reason,
  run,
  until,
} from "./suite.mjs"

/** One instance of the plugin with what it said to the client and to the bridge. */
async function load({ hello = {}, mode = "serve", from = plugin, sessions = {}, servers = {} } = {}) {
  const lines = linesOf(hello, mode)
  const said = { logs: [], toasts: [], prompts: [], asked: 0 }
  const client = {
    mcp: { status: async () => (said.asked++, { data: servers }) },
    app: { log: async ({ body }) => void said.logs.push(body) },
    tui: { showToast: async ({ body }) => void said.toasts.push(body) },
    session: {
      get: async ({ path }) => ({ data: sessions[path.id] }),
      promptAsync: async (it) => (said.prompts.push(it), {}),
    },
  }
  const began = Date.now()
  const hooks = await from.Hostler({ client, directory: folder, worktree: folder })
  const sent = (hook) => lines().filter((line) => line.hook === hook)
  const happens = (type, properties) => hooks.event({ event: { id: "evt_1", type, properties } })
  const before = async (what, { call = "call_1", session = "ses_1", tool = "bash", ...args } = {}) => {
    const output = { args: { command: orders(what), ...args } }
    await hooks["tool.execute.before"]({ tool, sessionID: session, callID: call }, output)
    return output.args
  }
  return { hooks, said, lines, sent, happens, before, took_ms: Date.now() - began }
}

const message = (text, session = "ses_1", id = "msg_1") => {
  const part = { id: "prt_000000000001aaaaaaaaaaaaaa", sessionID: session, messageID: id, type: "text", text }
  const model = { providerID: "mock", modelID: "mock-1" }
  return { message: { id, sessionID: session, role: "user", agent: "build", model }, parts: [part] }
}
const typed = async ({ hooks }, text, session, id) => {
  const output = message(text, session, id)
  await hooks["chat.message"]({ sessionID: output.message.sessionID }, output)
  return output
}

const tests = {
  async "it exports functions only, for the host rejects a file with anything else"() {
    for (const it of Object.values(plugin)) assert.equal(typeof it, "function")
  },

  async "it greets the bridge and passes on what that says"() {
    const { hooks, said, lines, sent, took_ms } = await load()
    assert.ok(took_ms < 5_000, `${took_ms} ms`)
    const [start] = sent("start")
    assert.deepEqual(start.arguments, ["bridge", "opencode"])
    const { input } = lines()[1]
    assert.equal(lines()[1].hook, "hello")
    assert.deepEqual([input.protocol, input.flavour, input.directory, input.mode], [1, 1, folder, "serve"])
    assert.deepEqual(said.logs, [{ service: "hostler", level: "info", message: "hostler is active" }])
    await hooks.dispose()
  },

  async "a greeting that is answered late counts all the same"() {
    const { hooks, happens, sent } = await load({ hello: { events: ["file.edited"], late_ms: 5_000 } })
    await until(async () => {
      await happens("file.edited", { file: "a.txt" })
      return sent("event").length > 0
    })
    await hooks.dispose()
  },

  async "where it is not active it registers nothing and keeps no process"() {
    const { hooks, said, sent } = await load({ hello: { active: false } })
    assert.deepEqual(hooks, {})
    assert.equal(sent("end").length, 1)
    assert.ok(said.logs.some(({ message }) => message.includes("is not active")))
  },

  async "secrets pass through hooks that are not registered"() {
    const { hooks } = await load()
    for (const name of ["chat.params", "chat.headers", "permission.ask"]) assert.equal(hooks[name], undefined)
    await hooks.dispose()
  },

  async "a denial is thrown with the reason and nothing else"() {
    const { hooks, before, said } = await load()
    assert.equal(await reason(before({ say: { deny: "not here [delete-root]" } })), "not here [delete-root]")
    assert.ok(said.logs.some(({ level, message }) => level === "warn" && message.includes("bash was not run: not here")))
    assert.equal(typeof (await before({})).command, "string")
    await hooks.dispose()
  },

  async "arguments change in place and the model is told"() {
    const { hooks } = await load()
    const args = { command: orders({ say: { args: { command: "true" } } }), timeout: 7 }
    const output = { args }
    await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1", callID: "call_1" }, output)
    assert.equal(output.args, args)
    assert.deepEqual(args, { command: "true", timeout: 7 })
    const after = { title: "", output: "done", metadata: {} }
    await hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "call_1", args }, after)
    assert.match(after.output, /^done\n\n\[hostler changed this call before it ran: `command` = "true"\]$/)
    const again = { title: "", output: "done", metadata: {} }
    await hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "call_1", args }, again)
    assert.equal(again.output, "done")
    await hooks.dispose()
  },

  async "results are annotated, those of MCP tools by a part"() {
    const { hooks } = await load()
    const args = { command: orders({ say: { append: "a note" } }) }
    const input = { tool: "bash", sessionID: "ses_1", callID: "call_1", args }
    const output = { title: "", output: "done", metadata: {} }
    await hooks["tool.execute.after"](input, output)
    assert.equal(output.output, "done\n\na note")
    const mcp = { content: [{ type: "text", text: "done" }] }
    await hooks["tool.execute.after"]({ ...input, tool: "echo_say" }, mcp)
    assert.deepEqual(mcp, { content: [{ type: "text", text: "done" }, { type: "text", text: "a note" }] })
    await hooks.dispose()
  },

  async "calls at the same time get their own answers, in whatever order those come"() {
    const { hooks, before } = await load()
    const numbers = [...Array(200).keys()]
    const calls = numbers.map((at) => reason(before({ wait_ms: 200 - at, say: { deny: `number ${at}` } }, { call: `c${at}` })))
    assert.deepEqual(await Promise.all(calls), numbers.map((at) => `number ${at}`))
    await hooks.dispose()
  },

  async "a separator of lines inside a text is no end of a line"() {
    const { hooks, before } = await load()
    assert.equal(await reason(before({ say: { deny: "one\u2028two" } })), "one\u2028two")
    await hooks.dispose()
  },

  async "a call without an answer is denied in time, and the bridge goes on"() {
    const { hooks, before, sent } = await load({ hello: { deadline_ms: 900 } })
    const began = Date.now()
    const text = await reason(before({ hold: true }))
    assert.ok(Date.now() - began < 4_000)
    assert.match(text, /hostler cannot judge this call, so it was not run: no answer within 900 ms\./)
    assert.ok(!text.includes("\n") && text.includes("hostler doctor"))
    await before({})
    assert.equal(sent("start").length, 1)
    await hooks.dispose()
  },

  async "a bridge that hangs is replaced"() {
    const { hooks, before, sent } = await load({ hello: { deadline_ms: 900 } })
    await reason(before({ hang: true }))
    await until(() => sent("hello").length === 2)
    await before({})
    await hooks.dispose()
  },

  async "a bridge that dies is started again and nothing that waited is lost"() {
    const { hooks, before, sent, said } = await load()
    const slow = reason(before({ wait_ms: 300, say: { deny: "slow" } }, { call: "c1" }))
    const deadly = reason(before({ die: true, say: { deny: "after all" } }, { call: "c2" }))
    assert.deepEqual(await Promise.all([slow, deadly]), ["slow", "after all"])
    const greetings = sent("hello")
    assert.equal(greetings.length, 2)
    assert.notEqual(greetings[0].pid, greetings[1].pid)
    assert.deepEqual(sent("tool.execute.before").map((it) => it.retry === true), [false, false, true, true])
    assert.ok(said.logs.some(({ level, message }) => level === "error" && message.includes("exit code 7")))
    assert.ok(said.toasts.some(({ message }) => message.includes("started again")))
    await hooks.dispose()
  },

  async "a call that ends the bridge each time is denied, the next one is not"() {
    const { hooks, before } = await load()
    assert.match(await reason(before({ die_always: true })), /ended twice at this call \(exit code 8\)/)
    await before({})
    await hooks.dispose()
  },

  async "without the program every tool call is denied, and the rest goes on loudly"() {
    rmSync(absentPath, { force: true })
    const world = await load({ from: absentPlugin })
    const { hooks, before, said, took_ms } = world
    assert.ok(took_ms < 5_000, `${took_ms} ms`)
    const text = await reason(before({}))
    assert.ok(text.startsWith("hostler cannot judge this call") && text.includes(absentPath) && text.includes("ENOENT"), text)
    assert.ok(text.includes(absentPluginPath), text)
    assert.ok(!text.includes("\n") && !/\bat .*:\d+/.test(text), text)
    await reason(before({}, { tool: "read" }))
    assert.equal((await typed(world, "hello")).parts.length, 1)
    const system = ["you are"]
    await hooks["experimental.chat.system.transform"]({ sessionID: "ses_1", model: { id: "m" } }, { system })
    assert.deepEqual(system, ["you are"])
    assert.equal(said.toasts.filter(({ variant }) => variant === "error").length, 1)
    assert.ok(said.logs.some(({ level, message }) => level === "error" && message.includes("lets no tool call through")))
    // And it works again as soon as the program is back.
    copyFileSync(doublePath, absentPath)
    await before({})
    await hooks.dispose()
  },

  async "a bridge of another protocol is not believed"() {
    const { hooks, before } = await load({ hello: { protocol: 2 } })
    assert.match(await reason(before({})), /speaks protocol 2 and this plugin 1: `hostler init`/)
    await hooks.dispose()
  },

  async "a line that cannot be read is a denial"() {
    const { hooks, before } = await load()
    assert.match(await reason(before({ say: { fault: "no such hook" } })), /not run: no such hook\./)
    await hooks.dispose()
  },

  async "no more than so many calls wait"() {
    const { hooks, before } = await load({ hello: { deadline_ms: 1_500 } })
    const calls = [...Array(1_030).keys()].map((at) => reason(before({ hold: true }, { call: `c${at}` })))
    const texts = await Promise.all(calls)
    assert.equal(texts.filter((text) => text.includes("1024 calls are waiting already")).length, 6)
    await hooks.dispose()
  },

  async "what is judged is sent whole, what is only told is not"() {
    const { hooks, before, sent } = await load()
    const long = "x".repeat(1_000_000)
    await before({}, { content: long })
    assert.equal(sent("tool.execute.before")[0].output.args.content, long)
    const input = { tool: "bash", sessionID: "ses_1", callID: "call_1", args: {} }
    await hooks["tool.execute.after"](input, { title: "", output: long, metadata: {} })
    const { output } = sent("tool.execute.after")[0].output
    assert.ok(output.length < 300_000 && output.includes("characters left out"))
    await hooks.dispose()
  },

  async "the end of the host waits for what was queued, and then for the bridge"() {
    const { hooks, happens, sent, lines } = await load({ hello: { events: ["file.edited"] } })
    await happens("file.edited", { sessionID: "ses_1", file: orders({ wait_ms: 400 }) })
    assert.equal(sent("dispose").length, 0)
    await hooks.dispose()
    const hooksSeen = lines().map((line) => line.hook)
    assert.deepEqual(hooksSeen.slice(-3), ["event", "dispose", "end"])
  },

  async "a turn whose end was not told when the host ends is ended all the same, once"() {
    const world = await load({ mode: "run", hello: { events: ["session.idle"] } })
    const { hooks, sent } = world
    const says = (session, message, text) =>
      hooks["experimental.text.complete"]({ sessionID: session, messageID: message, partID: "p" }, { text })
    await typed(world, "go", "ses_1", "msg_1")
    await says("ses_1", "msg_2", "all done")
    await typed(world, "go", "ses_2", "msg_3")
    await says("ses_2", "msg_4", "done before")
    await world.happens("session.idle", { sessionID: "ses_2" })
    // Nothing was answered here.
    await typed(world, "go", "ses_3", "msg_5")
    await hooks.dispose()
    assert.deepEqual(
      sent("event").map(({ session, last }) => [session, last.text]),
      [["ses_2", "done before"], ["ses_1", "all done"]],
    )
  },

  async "events that nobody wants stay with the host"() {
    const { hooks, happens, sent } = await load({ hello: { events: ["file.edited"] } })
    for (const type of ["plugin.added", "message.part.delta", "session.updated", "session.idle"]) {
      await happens(type, { sessionID: "ses_1" })
    }
    await happens("file.edited", { file: "/a" })
    await hooks.dispose()
    assert.deepEqual(sent("event").map(({ event }) => event.type), ["file.edited"])
  },

  async "a turn ends once, with the last words said in it"() {
    const world = await load({ hello: { events: ["session.idle"] } })
    const { hooks, happens, sent } = world
    const text = (message, text) =>
      hooks["experimental.text.complete"]({ sessionID: "ses_1", messageID: message, partID: "p" }, { text })
    const assistant = (id) =>
      happens("message.updated", { sessionID: "ses_1", info: { id, role: "assistant", sessionID: "ses_1" } })
    await typed(world, "go", "ses_1", "msg_1")
    await assistant("msg_2")
    await text("msg_2", "first I look")
    await assistant("msg_3")
    await text("msg_3", "all tests")
    await text("msg_3", "pass")
    await happens("session.idle", { sessionID: "ses_1" })
    await happens("session.idle", { sessionID: "ses_1" })
    await typed(world, "more", "ses_1", "msg_4")
    await happens("session.idle", { sessionID: "ses_1" })
    await hooks.dispose()
    const ends = sent("event").map(({ last }) => last)
    assert.deepEqual(ends, [{ message: "msg_3", text: "all tests\npass" }, {}])
  },

  async "a subagent's lines name the session above all"() {
    const world = await load({ hello: { events: ["session.created", "session.idle"] }, sessions: { ses_3: { parentID: "ses_2" } } })
    const { hooks, happens, before, sent } = world
    await happens("session.created", { sessionID: "ses_1", info: { id: "ses_1" } })
    await happens("session.created", { sessionID: "ses_2", info: { id: "ses_2", parentID: "ses_1" } })
    await typed(world, "go", "ses_1", "msg_1")
    await before({}, { session: "ses_1" })
    await before({}, { session: "ses_2" })
    // Begun before this process: the client is asked.
    await before({}, { session: "ses_3" })
    await before({}, { session: "ses_4" })
    await happens("session.idle", { sessionID: "ses_2" })
    await hooks.dispose()
    assert.deepEqual(
      sent("tool.execute.before").map(({ session, parent, agent }) => [session, parent, agent]),
      [["ses_1", undefined, "build"], ["ses_2", "ses_1", undefined], ["ses_3", "ses_1", undefined], ["ses_4", undefined, undefined]],
    )
    assert.deepEqual(sent("event").filter((it) => it.event.type === "session.idle").map(({ parent }) => parent), ["ses_1"])
  },

  async "a failed tool is told once, a denied one is not"() {
    const { hooks, happens, before, sent } = await load()
    await reason(before({ say: { deny: "no" } }, { call: "c1" }))
    const update = (callID, status) =>
      happens("message.part.updated", {
        sessionID: "ses_1",
        part: { type: "tool", tool: "bash", callID, sessionID: "ses_1", state: { status, input: { command: "x" }, error: "boom" } },
      })
    for (const [call, status] of [["c1", "error"], ["c2", "running"], ["c2", "error"], ["c2", "error"], ["c3", "completed"]]) {
      await update(call, status)
    }
    await hooks.dispose()
    const [line, ...rest] = sent("tool.failed")
    assert.deepEqual(rest, [])
    assert.deepEqual(line.input, { tool: "bash", callID: "c2", sessionID: "ses_1", args: { command: "x" } })
    assert.deepEqual(line.output, { error: "boom" })
  },

  async "what a person runs in the shell is told as that"() {
    const { hooks, happens, before, sent } = await load()
    await before({}, { call: "c1" })
    for (const callID of ["c1", "c2", "c2"]) {
      const state = { status: "completed", input: { command: "ls" }, output: "a", metadata: { exit: 0 }, title: "" }
      await happens("message.part.updated", {
        sessionID: "ses_1",
        part: { type: "tool", tool: "bash", callID, sessionID: "ses_1", state },
      })
    }
    await hooks.dispose()
    const [line, ...rest] = sent("shell.user")
    assert.deepEqual(rest, [])
    assert.deepEqual(line.input, { tool: "bash", callID: "c2", sessionID: "ses_1", args: { command: "ls" } })
    assert.deepEqual(line.output, { output: "a", metadata: { exit: 0 } })
  },

  async "servers are told to each bridge, without what may be secret in them"() {
    const { hooks, before, sent, lines } = await load()
    const local = { type: "local", command: ["echo-server"], enabled: true, environment: { TOKEN: "secret" } }
    const remote = { type: "remote", url: "http://127.0.0.1:1/mcp", headers: { authorization: "secret" } }
    await hooks.config({ mcp: { echo: local, far: remote }, provider: { p: { options: { apiKey: "secret" } } } })
    await before({ die: true })
    await hooks.dispose()
    const told = sent("config").map(({ input }) => input)
    const expected = {
      mcp: {
        echo: { type: "local", command: ["echo-server"], enabled: true },
        far: { type: "remote", url: "http://127.0.0.1:1/mcp" },
      },
    }
    assert.deepEqual(told, [expected, expected])
    assert.ok(!JSON.stringify(lines()).includes("secret"))
  },

  async "what the host knows of its servers is told once"() {
    const servers = {
      echo: { status: "connected" },
      away: { status: "failed", error: `Connection closed ${"x".repeat(500)}` },
      key: { status: "needs_auth" },
      off: { status: "disabled" },
    }
    const { hooks, said, happens } = await load({ servers })
    await happens("session.created", { info: { id: "ses_1" } })
    await happens("session.created", { info: { id: "ses_2" } })
    await hooks.dispose()
    assert.equal(said.asked, 1)
    const told = said.logs.filter(({ message }) => message.includes("MCP server")).map((it) => [it.level, it.message])
    assert.deepEqual(told, [
      ["info", "hostler: MCP server `echo` has answered the host"],
      ["warn", `hostler: MCP server \`away\` has not answered the host: Connection closed ${"x".repeat(82)}`],
      ["warn", "hostler: MCP server `key` has not answered the host: needs_auth"],
    ])
  },

  async "context joins the first system text, once, and not the request for a title"() {
    const { hooks, sent } = await load()
    const transform = async (...system) => {
      const providerID = orders({ say: { append: "context of ours" } })
      const model = { id: "m", providerID, headers: { authorization: "secret" } }
      await hooks["experimental.chat.system.transform"]({ sessionID: "ses_1", model }, { system })
      return system
    }
    assert.deepEqual(await transform("you are", "more"), ["you are\n\ncontext of ours", "more"])
    assert.deepEqual(await transform("you are\n\ncontext of ours"), ["you are\n\ncontext of ours"])
    assert.deepEqual(await transform("You are a title generator. You output"), ["You are a title generator. You output"])
    assert.ok(!JSON.stringify(sent("experimental.chat.system.transform")).includes("secret"))
    await hooks.dispose()
  },

  async "parts are added behind the user's, and taken out where they must not be"() {
    const world = await load()
    const added = await typed(world, orders({ say: { parts: ["what we know"] } }))
    const [, part] = added.parts
    assert.equal(part.text, "what we know")
    assert.ok(/^prt_[0-9a-f]{12}[0-9A-Za-z]{14}$/.test(part.id) && part.synthetic && part.messageID === "msg_1")
    const { id } = added.parts[0]
    const redacted = await typed(world, orders({ say: { redact: [{ part: id, text: "[left out]" }] } }))
    assert.deepEqual(redacted.parts.map(({ text }) => text), ["[left out]"])
    await world.hooks.dispose()
  },

  async "context is given to a compaction and variables to a shell"() {
    const { hooks } = await load()
    const compacting = { context: [] }
    await hooks["experimental.session.compacting"]({ sessionID: "ses_1", do: orders({ say: { context: ["keep"] } }) }, compacting)
    assert.deepEqual(compacting.context, ["keep"])
    const shell = { env: { A: "1" } }
    await hooks["shell.env"]({ cwd: orders({ say: { env: { B: "2" } } }), sessionID: "ses_1" }, shell)
    assert.deepEqual(shell.env, { A: "1", B: "2" })
    await hooks.dispose()
  },

  async "a turn that is sent back goes on by a prompt, which is no prompt of the user"() {
    const world = await load({ hello: { events: ["session.idle"] } })
    const { hooks, happens, said, sent } = world
    await typed(world, "go")
    await hooks["experimental.text.complete"](
      { sessionID: "ses_1", messageID: "msg_2", partID: "p" },
      { text: orders({ say: { prompt: "that does not hold" } }) },
    )
    await happens("session.idle", { sessionID: "ses_1" })
    await until(() => said.prompts.length === 1)
    const { path, body } = said.prompts[0]
    assert.equal(path.id, "ses_1")
    assert.deepEqual([body.agent, body.model, body.parts], ["build", { providerID: "mock", modelID: "mock-1" }, [{ type: "text", text: "that does not hold" }]])
    await typed(world, "that does not hold", "ses_1", body.messageID)
    await hooks.dispose()
    assert.equal(sent("chat.message").length, 1)
  },

  async "a run without a person only shows what would have been sent back"() {
    const world = await load({ mode: "run", hello: { events: ["session.idle"] } })
    await typed(world, "go")
    await world.happens("session.idle", { sessionID: "ses_1", do: orders({ say: { prompt: "that does not hold" } }) })
    await world.hooks.dispose()
    assert.deepEqual(world.said.prompts, [])
    assert.deepEqual(world.said.toasts.map(({ message }) => message), ["that does not hold"])
  },

  async "tools of ours are offered with their arguments, answered, and failed"() {
    const args = { text: { type: "string", description: "what" }, priority: { type: "string" } }
    const tools = [{ name: "session-add-work", description: "adds work", args, required: ["text"] }]
    const { hooks, sent } = await load({ hello: { tools } })
    const tool = hooks.tool["session-add-work"]
    assert.deepEqual([tool.description, tool.args], ["adds work", args])
    const abort = new AbortController()
    const context = { sessionID: "ses_1", callID: "c1", agent: "build", directory: folder, abort: abort.signal }
    assert.equal(await tool.execute({ text: orders({ say: { text: "added" } }) }, context), "added")
    const { input, session, agent } = sent("tool")[0]
    assert.deepEqual([input.name, input.callID, session, agent], ["session-add-work", "c1", "ses_1", "build"])
    assert.equal(await reason(tool.execute({ text: orders({ say: { text: "no", failed: true } }) }, context)), "no")
    const held = reason(tool.execute({ text: orders({ hold: true }) }, context))
    abort.abort()
    assert.match(await held, /session-add-work failed: it was aborted/)
    const definition = { description: "adds work", jsonSchema: { type: "object", properties: args, required: ["text", "priority"] } }
    await hooks["tool.definition"]({ toolID: "session-add-work" }, definition)
    assert.deepEqual(definition.jsonSchema.required, ["text"])
    await hooks.dispose()
  },

  async "what the bridge has to say is logged and shown"() {
    const { hooks, before, said } = await load()
    await before({ say: { log: [{ level: "info", message: "session #1 began" }], toast: { variant: "info", message: "hi" } } })
    assert.ok(said.logs.some((it) => it.level === "info" && it.message === "session #1 began" && it.service === "hostler"))
    assert.deepEqual(said.toasts, [{ title: "hostler", variant: "info", message: "hi" }])
    await hooks.dispose()
  },
}

await run(tests)
