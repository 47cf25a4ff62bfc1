// What both flavours of the plugin share: the bridge, a child process that answers one JSON line with one JSON line.
// Only `node:` modules are imported, nothing is written to stdout, and no type of ours survives at run time.

import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import type { ChildProcess } from "node:child_process"

const BINARY: string = "@HOSTLER_BINARY@"
const VERSION: string = "@HOSTLER_VERSION@"
const PROTOCOL = 1
/** This file, as a person finds it. */
const FILE = (() => {
  try {
    return fileURLToPath(import.meta.url)
  } catch {
    return import.meta.url
  }
})()

/** How long the host may wait for the first answer when it loads the plugin. */
const ACTIVATION_MS_MAX = 4_500
/** How long one call may take until the bridge names its own limit. */
const CALL_MS_MAX = 4_000
/** The end of a turn may run the project's own gates. */
const TURN_END_MS_MAX = 120_000
/** A tool of ours may work for a while; the host can abort it. */
const TOOL_MS_MAX = 600_000
/** How long the host waits for queued work when it ends. */
const DISPOSE_MS_MAX = 10_000
const EXIT_MS_MAX = 2_000
const PING_EVERY_MS = 15_000
const PING_MS_MAX = 5_000
/** A child that let a call wait for too long has this long to show that it lives. */
const SUSPECT_MS_MAX = 1_000
const BACKOFF_MS_MIN = 100
const BACKOFF_MS_MAX = 5_000
/** A child that lived this long starts again with a clean record. */
const HEALTHY_MS = 30_000
const CALLS_MAX = 1_024
const LINE_CHARS_MAX = 64 << 20
/** Longest text of a result or a message that is forwarded; what is judged before it runs is never cut. */
const TEXT_CHARS_MAX = 262_144
const KEYS_MAX = 4_096

type Fields = Record<string, unknown>
type Level = "debug" | "info" | "warn" | "error"
type Variant = "info" | "success" | "warning" | "error"

interface ToolOffer {
  name: string
  description: string
  args: Record<string, Fields>
  required?: string[]
}

interface Hello {
  protocol: number
  version: string
  profile?: string
  active: boolean
  deadline_ms?: number
  tools?: ToolOffer[]
  events?: string[]
}

interface Answer {
  id?: number
  hello?: Hello
  deny?: string
  args?: Fields
  append?: string
  parts?: string[]
  redact?: { part: string; text: string }[]
  context?: string[]
  env?: Record<string, string>
  prompt?: string
  text?: string
  failed?: boolean
  fault?: string
  log?: { level: Level; message: string }[]
  toast?: { variant: Variant; message: string }
}

/** Either an answer, or why there is none. */
type Outcome = { answer: Answer; failure?: undefined } | { answer?: undefined; failure: string }

/** How the plugin speaks to people: the host's log and its notices. */
interface Voice {
  log(level: Level, message: string): void
  toast(variant: Variant, message: string): void
}

interface Call {
  hook: string
  fields: Fields
  attempts: number
  settle(outcome: Outcome): void
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Keeps a map from growing with the life of the host: the oldest key goes. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.size > KEYS_MAX ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
}

/** `promise`, or `otherwise` after `limit_ms`. */
function within<T>(promise: Promise<T>, limit_ms: number, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), limit_ms)
    const done = (value: T) => {
      clearTimeout(timer)
      resolve(value)
    }
    promise.then(done, () => done(otherwise))
  })
}

/** A copy without texts that are too long to be worth sending. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.length <= TEXT_CHARS_MAX) return value
    const half = TEXT_CHARS_MAX >> 1
    return `${value.slice(0, half)}\n[${value.length - TEXT_CHARS_MAX} characters left out]\n${value.slice(-half)}`
  }
  if (Array.isArray(value)) return value.map(shortened)
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, shortened(it)]))
  return value
}

class Bridge {
  /** What the child said when it was greeted last. */
  hello: Hello | undefined
  #directory: string
  #greeting: Fields
  #voice: Voice
  #child: ChildProcess | undefined
  #since = 0
  #deaths = 0
  #restart: ReturnType<typeof setTimeout> | undefined
  #ping: ReturnType<typeof setInterval> | undefined
  #next = 0
  #calls = new Map<number, Call>()
  #closed = false
  #closing = false
  #told = ""
  #refused: string | undefined
  #standing = new Map<string, Fields>()

  constructor(directory: string, greeting: Fields, voice: Voice) {
    this.#directory = directory
    this.#greeting = greeting
    this.#voice = voice
  }

  /** Starts the child and waits for its first answer, for a bounded time. */
  async open(): Promise<Outcome> {
    this.#ping = setInterval(() => void this.#check(PING_MS_MAX), PING_EVERY_MS)
    this.#ping.unref?.()
    return this.#greet(ACTIVATION_MS_MAX)
  }

  /** One line out, one line in. Never rejects. */
  ask(hook: string, fields: Fields, limit_ms?: number): Promise<Outcome> {
    if (this.#closed) return Promise.resolve({ failure: "the session has ended" })
    if (this.#refused) return Promise.resolve({ failure: this.#refused })
    if (this.#calls.size >= CALLS_MAX) return Promise.resolve({ failure: `${CALLS_MAX} calls are waiting already` })
    const limit = limit_ms ?? this.hello?.deadline_ms ?? CALL_MS_MAX
    const call = this.#register(hook, fields, limit)
    if (this.#child) this.#send(call.id)
    else this.#start()
    return call.outcome
  }

  /** What each child has to know before it answers: told now, and again to the next one. */
  stands(hook: string, fields: Fields): void {
    this.#standing.set(hook, fields)
    void this.ask(hook, fields)
  }

  /** Ends the child when it has answered everything before. */
  async close(): Promise<void> {
    if (this.#closed) return
    // A child that finishes its work answers no ping, and must not be killed for that.
    this.#closing = true
    clearInterval(this.#ping)
    if (this.#child) await this.ask("dispose", {}, DISPOSE_MS_MAX)
    this.#closed = true
    clearTimeout(this.#restart)
    for (const call of [...this.#calls.values()]) call.settle({ failure: "the session has ended" })
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise<boolean>((resolve) => child.once("exit", () => resolve(true)))
    child.stdin?.end()
    if (!(await within(ended, EXIT_MS_MAX, false))) child.kill("SIGKILL")
  }

  #register(hook: string, fields: Fields, limit_ms: number): { id: number; outcome: Promise<Outcome> } {
    const id = ++this.#next
    const outcome = new Promise<Outcome>((resolve) => {
      const timer = setTimeout(() => {
        if (!this.#calls.delete(id)) return
        resolve({ failure: `no answer within ${limit_ms} ms` })
        // A child that hangs is replaced, so that the next call finds one that does not.
        if (hook !== "ping" && hook !== "tool") void this.#check(SUSPECT_MS_MAX)
      }, limit_ms)
      const settle = (outcome: Outcome) => {
        clearTimeout(timer)
        this.#calls.delete(id)
        resolve(outcome)
      }
      this.#calls.set(id, { hook, fields, attempts: 0, settle })
    })
    return { id, outcome }
  }

  #greet(limit_ms: number): Promise<Outcome> {
    const { id, outcome } = this.#register("hello", this.#greeting, limit_ms)
    if (this.#child) this.#send(id)
    else this.#start()
    return outcome.then((it) => {
      if (!it.answer?.hello) return { failure: it.failure ?? it.answer?.fault ?? "the greeting was not answered" }
      return this.#refused === undefined ? it : { failure: this.#refused }
    })
  }

  /** A greeting counts when it comes after its time, too: else no event would be forwarded for as long as the child lives. */
  #greeted(hello: Hello): void {
    if (hello.protocol !== PROTOCOL) {
      this.#refused = `\`${BINARY}\` speaks protocol ${hello.protocol} and this plugin ${PROTOCOL}: \`hostler init\` brings them together`
      return
    }
    this.#refused = undefined
    this.hello = hello
    this.#told = ""
  }

  #send(id: number): void {
    const call = this.#calls.get(id)
    if (!call) return
    call.attempts += 1
    let line: string
    try {
      line = JSON.stringify({ id, hook: call.hook, ...(call.attempts > 1 ? { retry: true } : {}), ...call.fields })
    } catch (error) {
      call.settle({ failure: `it cannot be written as JSON: ${reasonOf(error)}` })
      return
    }
    this.#child?.stdin?.write(`${line}\n`)
  }

  #start(): void {
    if (this.#child || this.#closed || this.#restart) return
    let child: ChildProcess
    try {
      child = spawn(BINARY, ["bridge", "opencode"], {
        cwd: this.#directory,
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      })
    } catch (error) {
      this.#missing(reasonOf(error))
      return
    }
    this.#child = child
    this.#since = Date.now()
    child.once("error", (error) => {
      if (child.pid === undefined) {
        this.#child = undefined
        this.#missing(error.message)
      } else this.#voice.log("error", `the bridge: ${error.message}`)
    })
    child.stdin?.on("error", () => {})
    this.#listen(child)
    let over = false
    const end = (how: string) => {
      if (over) return
      over = true
      this.#ended(child, how)
    }
    const words = () => (child.signalCode ? `signal ${child.signalCode}` : `exit code ${child.exitCode}`)
    // What it said last is still on its way when it has ended; what it started may hold the pipe open.
    child.once("exit", () => setTimeout(() => end(words()), 250))
    child.once("close", () => end(words()))
    // A child of ours must not keep the host alive.
    child.unref()
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.()
    const waiting = [...this.#calls.entries()]
    if (!waiting.some(([, call]) => call.hook === "hello")) void this.#greet(CALL_MS_MAX)
    for (const [id, call] of waiting) if (call.hook === "hello") this.#send(id)
    for (const [hook, fields] of this.#standing) {
      if (!waiting.some(([, call]) => call.hook === hook)) void this.ask(hook, fields)
    }
    for (const [id, call] of waiting) if (call.hook !== "hello") this.#send(id)
  }

  #listen(child: ChildProcess): void {
    let text = ""
    let seen = 0
    // Not `readline`: it takes U+2028 inside a JSON string for the end of a line.
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      for (let end = text.indexOf("\n", seen); end >= 0; end = text.indexOf("\n")) {
        this.#read(text.slice(0, end))
        text = text.slice(end + 1)
      }
      seen = text.length
      if (seen > LINE_CHARS_MAX) child.kill("SIGKILL")
    })
    let lines = 0
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      for (const line of chunk.split("\n")) {
        if (line.trim() && lines++ < 50) this.#voice.log("warn", `the bridge says: ${line.slice(0, 500)}`)
      }
    })
  }

  #read(line: string): void {
    let answer: Answer
    try {
      answer = JSON.parse(line)
    } catch {
      this.#voice.log("error", "the bridge wrote a line that is no JSON")
      return
    }
    for (const { level, message } of answer.log ?? []) this.#voice.log(level, message)
    if (answer.toast) this.#voice.toast(answer.toast.variant, answer.toast.message)
    if (answer.fault) this.#voice.log("error", `the bridge could not read a line: ${answer.fault}`)
    if (answer.hello) this.#greeted(answer.hello)
    if (answer.id !== undefined) this.#calls.get(answer.id)?.settle({ answer })
  }

  /** There is no program to start: whoever waits is told at once. */
  #missing(why: string): void {
    this.#tell(`\`${BINARY}\` cannot be started: ${why}`)
    for (const call of [...this.#calls.values()]) call.settle({ failure: `\`${BINARY}\` cannot be started (${why})` })
  }

  #ended(child: ChildProcess, how: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#closed) {
      for (const call of [...this.#calls.values()]) call.settle({ failure: "the session has ended" })
      return
    }
    this.#deaths = Date.now() - this.#since >= HEALTHY_MS ? 1 : this.#deaths + 1
    this.#tell(`the bridge ended (${how}) and is started again`)
    for (const call of [...this.#calls.values()]) {
      // A line that ends the child each time must not end it for ever.
      if (call.attempts > 1) call.settle({ failure: `\`${BINARY}\` ended twice at this call (${how})` })
    }
    if (this.#deaths === 1) return this.#start()
    if (this.#calls.size === 0) return
    this.#later()
  }

  #later(): void {
    const wait = Math.min(BACKOFF_MS_MIN * 2 ** (this.#deaths - 2), BACKOFF_MS_MAX)
    this.#restart = setTimeout(() => {
      this.#restart = undefined
      this.#start()
    }, wait)
  }

  async #check(limit_ms: number): Promise<void> {
    const child = this.#child
    if (!child || this.#closing) return
    const { failure } = await this.ask("ping", {}, limit_ms)
    if (failure && this.#child === child && !this.#closing) child.kill("SIGKILL")
  }

  /** Says the same thing once, not at each call. */
  #tell(message: string): void {
    if (this.#told === message) return
    this.#told = message
    this.#voice.log("error", message)
    this.#voice.toast("error", `hostler: ${message}`)
  }
}

/** What a tool call that could not be judged answers: one line that says what to do. */
function unjudged(failure: string): string {
  return (
    `hostler cannot judge this call, so it was not run: ${failure}. ` +
    `The user can run \`hostler doctor\`, restore \`${BINARY}\`, or remove \`${FILE}\` to work without hostler.`
  )
}

/** What the model reads when it did not get what it asked for. */
function rewritten(args: Fields): string {
  const changed = Object.entries(args).map(([key, value]) => `\`${key}\` = ${JSON.stringify(value)?.slice(0, 1_000)}`)
  return `[hostler changed this call before it ran: ${changed.join(", ")}]`
}

/** What hooks need to know of a call between its two ends. */
class Calls {
  #changed = new Map<string, Fields>()
  #denied = new Map<string, true>()

  #judged = new Map<string, true>()

  judge(call: string): void {
    remember(this.#judged, call, true)
  }

  wasJudged(call: string): boolean {
    return this.#judged.has(call)
  }

  deny(call: string): void {
    remember(this.#denied, call, true)
  }

  /** Sets the keys in place: an object that is assigned anew does not reach the tool. */
  change(call: string, target: unknown, args: Fields): void {
    if (!isRecord(target)) return
    Object.assign(target, args)
    remember(this.#changed, call, args)
  }

  wasDenied(call: string): boolean {
    return this.#denied.has(call)
  }

  /** The note on a changed call, once. */
  note(call: string): string | undefined {
    const args = this.#changed.get(call)
    this.#changed.delete(call)
    return args && rewritten(args)
  }
}

/** How the host was started. */
type Mode = "run" | "serve" | "tui" | "unknown"

function hostMode(): Mode {
  for (const word of process.argv.slice(2)) {
    if (word === "run") return "run"
    if (word === "serve" || word === "web" || word === "acp") return "serve"
  }
  return process.stdout.isTTY || process.stderr.isTTY ? "tui" : "unknown"
}

let identifiers = 0

/** An id as the host makes them: ids sort by time. */
function identifier(prefix: string): string {
  identifiers = (identifiers + 1) & 0xfff
  const time = ((BigInt(Date.now()) << 12n) | BigInt(identifiers)) & 0xffff_ffff_ffffn
  const letters = [...randomBytes(14)].map((byte) => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[byte % 62])
  return `${prefix}_${time.toString(16).padStart(12, "0")}${letters.join("")}`
}

/** Which sessions are subagents of which: everything of a subagent is accounted to the session that a person sees. */
class Family {
  #look: (session: string) => Promise<{ parentID?: string } | undefined>
  #parents = new Map<string, string | undefined>()

  /** `look` asks the host for a session that began before this process. */
  constructor(look: (session: string) => Promise<{ parentID?: string } | undefined>) {
    this.#look = look
  }

  learn(session: string, parent: string | undefined): void {
    remember(this.#parents, session, parent)
  }

  forget(session: string): void {
    this.#parents.delete(session)
  }

  /** The session above all others, or nothing for that one itself. */
  async root(session: string): Promise<string | undefined> {
    let above: string | undefined
    for (let at = await this.#parent(session), depth = 0; at && depth < 16; at = await this.#parent(at), depth += 1) above = at
    return above
  }

  async #parent(session: string): Promise<string | undefined> {
    if (!this.#parents.has(session)) {
      const found = await within(this.#look(session), 1_000, undefined)
      // An unknown session is asked about again at the next call.
      if (found) this.learn(session, found.parentID)
    }
    return this.#parents.get(session)
  }
}

/** The last words of each session's assistant, and whether an idle session was told of already. */
class Turns {
  #texts = new Map<string, { message: string; text: string }>()
  #assistant = new Map<string, string>()
  #idle = new Map<string, string>()
  #open = new Map<string, true>()

  begin(session: string): void {
    this.#texts.delete(session)
    this.#assistant.delete(session)
    this.#open.delete(session)
  }

  answers(session: string, message: string): void {
    if (this.#assistant.get(session) === message) return
    remember(this.#assistant, session, message)
    remember(this.#open, session, true)
  }

  /** Sessions that have answered and were not seen to end: a host that is about to go may go before it says so. */
  unfinished(): string[] {
    return [...this.#open.keys()]
  }

  says(session: string, message: string, text: string): void {
    const before = this.#texts.get(session)
    const joined = before?.message === message ? `${before.text}\n${text}` : text
    remember(this.#texts, session, { message, text: joined })
    this.answers(session, message)
  }

  /** What was said last; nothing when this end was seen before: an aborted turn ends twice. */
  end(session: string, user: string): { message?: string; text?: string } | undefined {
    this.#open.delete(session)
    const key = `${user} ${this.#assistant.get(session) ?? ""}`
    if (this.#idle.get(session) === key) return undefined
    remember(this.#idle, session, key)
    return this.#texts.get(session) ?? {}
  }
}

/** Work that the host does not wait for, until it ends. */
class Queue {
  #pending = new Set<Promise<unknown>>()

  add(work: Promise<unknown>): void {
    const kept: Promise<unknown> = work.catch(() => {}).finally(() => this.#pending.delete(kept))
    this.#pending.add(kept)
  }

  async drain(limit_ms: number): Promise<void> {
    const all = async () => {
      while (this.#pending.size > 0) await Promise.allSettled([...this.#pending])
    }
    await within(all(), limit_ms, undefined)
  }
}

/** Calls a tool of ours; throws what the model reads of a failure. */
async function callTool(bridge: Bridge, name: string, fields: Fields, abort: AbortSignal | undefined): Promise<string> {
  const aborted = new Promise<Outcome>((resolve) => {
    const stop = () => resolve({ failure: "it was aborted" })
    if (abort?.aborted) stop()
    abort?.addEventListener("abort", stop, { once: true })
  })
  const { answer, failure } = await Promise.race([bridge.ask("tool", fields, TOOL_MS_MAX), aborted])
  const text = answer?.text ?? `${name} failed: ${failure ?? answer?.fault ?? "no answer"}`
  if (failure !== undefined || answer?.fault !== undefined || answer?.failed) throw new Error(text)
  return text
}
