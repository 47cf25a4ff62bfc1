// The plugin for OpenCode 2 alone: a host made from its documented interface, and the double of the bridge.

import assert from "node:assert/strict"
import { copyFileSync, rmSync } from "node:fs"
import {
  absentPath,
  absentPlugin,
  doublePath,
  failure,
  folder,
  lines as linesOf,
  orders,
  plugin,
  reason,
  run,
  until,
} from "./suite.mjs"

/** A host with what plugins register in it. */
function host(sessions = {}) {
  const hooks = new Map()
  const tools = new Map()
  const prompts = []
  const waiting = []
  let wake = () => {}
  let subscriptions = 0
  const domain = (name) => ({
    hook: async (point, callback) => {
      hooks.set(`${name}.${point}`, callback)
      return { dispose: async () => void hooks.delete(`${name}.${point}`) }
    },
  })
  const context = {
    location: { directory: folder },
    tool: {
      ...domain("tool"),
      transform: async (change) => change({ add: (tool) => tools.set(tool.name, tool) }),
    },
    session: {
      ...domain("session"),
      get: async ({ sessionID }) => sessions[sessionID],
      prompt: async (it) => (prompts.push(it), { id: "msg_9" }),
    },
    shell: domain("shell"),
    permission: domain("permission"),
    event: {
      async *subscribe({ signal }) {
        subscriptions += 1
        signal.addEventListener("abort", () => wake())
        while (!signal.aborted) {
          while (waiting.length > 0) {
            const event = waiting.shift()
            if (event === "broken") throw new Error("the stream broke")
            yield event
          }
          await new Promise((resolve) => (wake = resolve))
        }
      },
    },
  }
  /** Fires a hook as the host does: the event is what it goes on with. */
  const fire = async (point, event) => {
    await hooks.get(point)?.(event)
    return event
  }
  const happens = (event) => {
    waiting.push(event)
    wake()
  }
  return { context, hooks, tools, prompts, fire, happens, subscriptions: () => subscriptions }
}

/** One instance of the plugin in a host of its own. */
async function load({ hello = {}, mode = "serve", from = plugin, sessions = {} } = {}) {
  const lines = linesOf({ events: ["session.idle"], ...hello }, mode)
  const world = host(sessions)
  const unload = await from.default.setup(world.context)
  const sent = (hook) => lines().filter((line) => line.hook === hook)
  const call = (input, { id = "call_1", tool = "shell", session = "ses_1", agent = "build" } = {}) => {
    const event = { tool, sessionID: session, agent, messageID: "msg_2", id, input }
    return world.fire("tool.execute.before", event)
  }
  const event = (type, data, directory = folder) => world.happens({ id: "evt_1", type, data, location: { directory } })
  return { ...world, unload, lines, sent, call, event }
}

const prompted = (world, text, more = {}) =>
  world.fire("session.prompt", { sessionID: "ses_1", messageID: "msg_1", prompt: { text }, delivery: "queue", ...more })

const tests = {
  async "it exports what the loader wants, and does nothing in the preview of version 1"() {
    assert.deepEqual(Object.keys(plugin), ["default"])
    const { id, setup } = plugin.default
    assert.equal(id, "hostler")
    for (const context of [{}, { agent: {}, command: {} }, { tool: {} }]) assert.equal(await setup(context), undefined)
  },

  async "it greets the bridge as version 2, and registers its hooks"() {
    const { hooks, sent, unload } = await load()
    const [{ input }] = sent("hello")
    assert.deepEqual([input.flavour, input.directory, input.mode], [2, folder, "serve"])
    assert.deepEqual([...hooks.keys()].sort(), [
      "permission.evaluate",
      "session.compaction",
      "session.context",
      "session.prompt",
      "shell.create.before",
      "tool.execute.after",
      "tool.execute.before",
    ])
    await unload()
    assert.equal(hooks.size, 0)
    assert.equal(sent("end").length, 1)
  },

  async "where it is not active it registers nothing and keeps no process"() {
    const { hooks, sent, unload } = await load({ hello: { active: false } })
    assert.deepEqual([hooks.size, unload], [0, undefined])
    assert.equal(sent("end").length, 1)
  },

  async "a denial is an error of the kind that the host gives to the model"() {
    const { call, unload } = await load()
    const error = await failure(call({ command: orders({ say: { deny: "not here [delete-root]" } }) }))
    assert.deepEqual([error._tag, error.message], ["Tool.Error", "not here [delete-root]"])
    await unload()
  },

  async "tools are told under the names of version 1"() {
    const { call, sent, unload } = await load()
    await call({ command: "ls" })
    await call({ path: "/a", content: "x" }, { tool: "write" })
    await call({ path: "/a", oldString: "x", newString: "y" }, { tool: "edit" })
    await call({ patchText: "p" }, { tool: "patch" })
    await call({ prompt: "p" }, { tool: "subagent" })
    await call({ path: "/a" }, { tool: "files_write_file" })
    assert.deepEqual(
      sent("tool.execute.before").map(({ input, output }) => [input.tool, Object.keys(output.args)]),
      [
        ["bash", ["command"]],
        ["write", ["filePath", "content"]],
        ["edit", ["filePath", "oldString", "newString"]],
        ["apply_patch", ["patchText"]],
        ["task", ["prompt"]],
        ["files_write_file", ["path"]],
      ],
    )
    const [line] = sent("tool.execute.before")
    assert.deepEqual([line.session, line.agent, line.directory, line.input.callID], ["ses_1", "build", folder, "call_1"])
    await unload()
  },

  async "what the host does not read takes no place of what it does"() {
    const { call, sent, unload } = await load()
    await call({ filePath: "/harmless", path: "/judged", content: "x" }, { tool: "write" })
    assert.deepEqual(sent("tool.execute.before")[0].output.args, { filePath: "/judged", content: "x" })
    await unload()
  },

  async "what a program that was let through asks for is judged"() {
    const { call, fire, sent, unload } = await load()
    await call({ code: "tools.shell()" }, { tool: "execute", id: "call_1" })
    const source = { callID: "call_1" }
    const resources = [orders({ say: { deny: "not inside either" } })]
    const inside = await fire("permission.evaluate", { sessionID: "ses_1", action: "shell", resources, source, effect: "allow" })
    assert.deepEqual([inside.effect, inside.message], ["deny", "not inside either"])
    await call({ path: "/a", content: "x" }, { tool: "write", id: "call_2" })
    const written = { sessionID: "ses_1", action: "edit", resources: ["/a"], source: { callID: "call_2" }, effect: "allow" }
    assert.equal((await fire("permission.evaluate", written)).effect, "allow")
    assert.equal(sent("tool.execute.before").length, 3)
    await unload()
  },

  async "arguments change under their own names, and the model is told"() {
    const { call, fire, unload } = await load()
    const content = orders({ say: { args: { filePath: "/b" } } })
    const event = await call({ path: "/a", content }, { tool: "write" })
    assert.deepEqual(event.input, { path: "/b", content })
    const result = { content: "done" }
    const after = await fire("tool.execute.after", { ...event, status: "completed", result })
    assert.match(after.result.content, /^done\n\n\[hostler changed this call before it ran: `path` = "\/b"\]$/)
    await unload()
  },

  async "results are annotated, and failures told"() {
    const { fire, call, sent, unload } = await load()
    const event = { tool: "shell", sessionID: "ses_1", agent: "build", messageID: "msg_2", id: "call_1" }
    const input = { command: orders({ say: { append: "a note" } }) }
    const plain = await fire("tool.execute.after", { ...event, input, status: "completed", result: { content: "done" } })
    assert.equal(plain.result.content, "done\n\na note")
    const parts = { content: [{ type: "text", text: "done" }], metadata: { exit: 3 } }
    const listed = await fire("tool.execute.after", { ...event, input, status: "completed", result: parts })
    assert.deepEqual(listed.result.content, [{ type: "text", text: "done" }, { type: "text", text: "a note" }])
    assert.deepEqual(sent("tool.execute.after")[1].output.metadata, { exit: 3 })
    await failure(call({ command: orders({ say: { deny: "no" } }) }, { id: "call_2" }))
    for (const id of ["call_2", "call_3"]) {
      await fire("tool.execute.after", { ...event, id, input: { command: "x" }, status: "error", error: { message: "boom" } })
    }
    const [line, ...rest] = sent("tool.failed")
    assert.deepEqual([line.input.callID, line.output, rest], ["call_3", { error: "boom" }, []])
    await unload()
  },

  async "what a tool hook has judged is not judged again, what it has not seen is"() {
    const { call, fire, sent, unload } = await load()
    const evaluate = (action, resources, callID) =>
      fire("permission.evaluate", { sessionID: "ses_1", action, resources, source: { callID }, effect: "allow" })
    await failure(call({ command: orders({ say: { deny: "no" } }) }, { id: "call_1" }))
    const seen = await evaluate("shell", ["x"], "call_1")
    assert.deepEqual([seen.effect, seen.message], ["deny", "no"])
    await call({ command: "ls" }, { id: "call_2" })
    assert.equal((await evaluate("shell", ["ls"], "call_2")).effect, "allow")
    assert.equal(sent("tool.execute.before").length, 2)
    const inside = await evaluate("shell", ["ls", orders({ say: { deny: "not inside either" } })])
    assert.deepEqual([inside.effect, inside.message], ["deny", "not inside either"])
    assert.equal((await evaluate("webfetch", ["http://127.0.0.1"])).effect, "allow")
    assert.deepEqual(sent("tool.execute.before").map(({ input }) => input.tool), ["bash", "bash", "bash", "bash"])
    await unload()
  },

  async "without the program every call is denied, and the rest goes on"() {
    rmSync(absentPath, { force: true })
    const world = await load({ from: absentPlugin })
    const error = await failure(world.call({ command: "ls" }))
    assert.equal(error._tag, "Tool.Error")
    assert.ok(error.message.startsWith("hostler cannot judge this call") && error.message.includes(absentPath))
    const asked = await world.fire("permission.evaluate", { sessionID: "ses_1", action: "shell", resources: ["ls"], effect: "allow" })
    assert.equal(asked.effect, "deny")
    assert.equal((await prompted(world, "hello")).prompt.text, "hello")
    const system = [{ type: "text", text: "you are" }]
    assert.equal((await world.fire("session.context", { sessionID: "ses_1", system })).system.length, 1)
    copyFileSync(doublePath, absentPath)
    await world.call({ command: "ls" })
    await world.unload()
  },

  async "context stands in the system text once, with what belongs to the prompt"() {
    const world = await load()
    await prompted(world, orders({ say: { parts: ["what we know"] } }))
    const transform = (...texts) => {
      const model = { id: "m", providerID: orders({ say: { append: "context of ours" } }), headers: { authorization: "secret" } }
      const system = texts.map((text) => ({ type: "text", text }))
      return world.fire("session.context", { sessionID: "ses_1", agent: "build", model, system, messages: [], tools: {} })
    }
    const texts = async (...given) => (await transform(...given)).system.map(({ text }) => text)
    assert.deepEqual(await texts("you are"), ["you are", "context of ours", "what we know"])
    assert.deepEqual(await texts("context of ours"), ["context of ours", "what we know"])
    await prompted(world, "next", { messageID: "msg_5" })
    assert.deepEqual(await texts("you are"), ["you are", "context of ours"])
    assert.ok(!JSON.stringify(world.lines()).includes("secret"))
    await world.unload()
  },

  async "a prompt is told with its files, and replaced where it must not stand"() {
    const world = await load()
    const order = orders({ say: { redact: [{ part: "prompt", text: "[left out]" }] } })
    const event = await prompted(world, order, { prompt: { text: order, files: [{ url: "file:///a" }] } })
    assert.equal(event.prompt.text, "[left out]")
    const { parts } = world.sent("chat.message")[0].output
    assert.deepEqual(parts.map(({ type, url }) => [type, url]), [["text", undefined], ["file", "file:///a"]])
    await world.unload()
  },

  async "a compaction keeps what it is told to, and a shell has our variables"() {
    const { fire, unload } = await load()
    const session = `ses_${orders({ say: { context: ["keep"] } })}`
    const compaction = await fire("session.compaction", { sessionID: session, system: [] })
    assert.deepEqual(compaction.system, [{ type: "text", text: "keep" }])
    const cwd = orders({ say: { env: { B: "2" } } })
    const shell = await fire("shell.create.before", { command: "ls", cwd, env: { A: "1" } })
    assert.deepEqual(shell.env, { A: "1", B: "2" })
    await unload()
  },

  async "a turn ends once, with its last words, and goes on by a prompt of ours"() {
    const world = await load()
    await prompted(world, "go")
    const words = orders({ say: { prompt: "that does not hold" } })
    world.event("session.text.ended", { sessionID: "ses_1", assistantMessageID: "msg_2", text: "I look" })
    world.event("session.text.ended", { sessionID: "ses_1", assistantMessageID: "msg_3", text: words })
    world.event("session.execution.succeeded", { sessionID: "ses_1" })
    world.event("session.execution.interrupted", { sessionID: "ses_1" })
    await until(() => world.prompts.length === 1)
    const [{ sessionID, text, metadata }] = world.prompts
    assert.deepEqual([sessionID, text], ["ses_1", "that does not hold"])
    await prompted(world, text, { metadata, messageID: "msg_9" })
    await world.unload()
    assert.deepEqual(world.sent("event").map(({ last }) => last), [{ message: "msg_3", text: words }])
    assert.equal(world.sent("chat.message").length, 1)
  },

  async "events of other folders and deltas stay with the host"() {
    const { event, sent, unload } = await load()
    event("session.execution.succeeded", { sessionID: "ses_8" }, "/elsewhere")
    event("session.text.delta", { sessionID: "ses_1", delta: "x" })
    event("session.execution.failed", { sessionID: "ses_1" })
    await until(() => sent("event").length === 1)
    await unload()
    assert.deepEqual(sent("event").map(({ session }) => session), ["ses_1"])
  },

  async "a stream of events that breaks is taken up again"() {
    const { event, happens, sent, subscriptions, unload } = await load()
    happens("broken")
    await until(() => subscriptions() === 2)
    event("session.execution.succeeded", { sessionID: "ses_1" })
    await until(() => sent("event").length === 1)
    await unload()
  },

  async "a subagent's lines name the session above all, and the folder of their session"() {
    const sessions = { ses_3: { data: { parentID: "ses_1", location: { directory: "/other" } } } }
    const { call, event, sent, unload } = await load({ sessions })
    event("session.created", { sessionID: "ses_2", info: { parentID: "ses_1" } })
    await until(() => sent("event").length === 1)
    await call({ command: "ls" }, { session: "ses_2" })
    await call({ command: "ls" }, { session: "ses_3" })
    assert.deepEqual(
      sent("tool.execute.before").map(({ parent, directory }) => [parent, directory]),
      [["ses_1", folder], ["ses_1", "/other"]],
    )
    await unload()
  },

  async "tools of ours can be called directly"() {
    const args = { text: { type: "string" }, priority: { type: "string" } }
    const offer = { name: "session-add-work", description: "adds work", args, required: ["text"] }
    const { tools, sent, unload } = await load({ hello: { tools: [offer] } })
    const tool = tools.get("session-add-work")
    assert.deepEqual([tool.input.required, tool.options], [["text"], { codemode: false }])
    const result = await tool.execute({ text: orders({ say: { text: "added" } }) }, { sessionID: "ses_1", agent: "build" })
    assert.deepEqual(result, { content: "added" })
    assert.deepEqual([sent("tool")[0].input.name, sent("tool")[0].agent], ["session-add-work", "build"])
    assert.equal(await reason(tool.execute({ text: orders({ say: { text: "no", failed: true } }) }, {})), "no")
    await unload()
  },

  async "unloading waits for what was queued"() {
    const world = await load()
    await prompted(world, "go")
    world.event("session.text.ended", { sessionID: "ses_1", assistantMessageID: "msg_2", text: orders({ wait_ms: 400 }) })
    world.event("session.execution.succeeded", { sessionID: "ses_1" })
    await until(() => world.sent("event").length === 1)
    await world.unload()
    assert.deepEqual(world.lines().map(({ hook }) => hook).slice(-3), ["event", "dispose", "end"])
  },
}

await run(tests)
