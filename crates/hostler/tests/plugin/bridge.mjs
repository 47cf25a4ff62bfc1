// A double of the bridge: it answers lines by what stands in them, and keeps what it was sent.
//
// Orders stand anywhere in a line's texts, as `@do{…}od@`: `say` is the answer, `wait_ms` delays it, `hold` keeps it
// back, `hang` stops the process, `die` ends it once, `die_always` each time. What a greeting is answered with stands in
// the variable DOUBLE_HELLO, after `late_ms`, what hooks are answered with unless ordered otherwise in DOUBLE_ANSWERS, where to keep the
// lines in DOUBLE_LOG.

import { appendFileSync } from "node:fs"

const kept = process.env.DOUBLE_LOG
const answers = JSON.parse(process.env.DOUBLE_ANSWERS ?? "{}")
const keep = (entry) => appendFileSync(kept, `${JSON.stringify({ pid: process.pid, ...entry })}\n`)
const answer = (id, fields) => process.stdout.write(`${JSON.stringify({ id, ...fields })}\n`)

keep({ hook: "start", arguments: process.argv.slice(2) })
let rest = ""
let open = 0
let disposing
const finish = () => {
  if (disposing !== undefined && open === 0) answer(disposing)
}

function take(line) {
  const { id, hook, ...fields } = JSON.parse(line)
  keep({ id, hook, ...fields })
  if (hook === "hello") {
    const hello = { protocol: 1, version: "9.9.9", profile: "standard", active: true, deadline_ms: 5000, events: [] }
    const log = [{ level: "info", message: "hostler is active" }]
    const { late_ms = 0, ...told } = JSON.parse(process.env.DOUBLE_HELLO ?? "{}")
    return void setTimeout(() => answer(id, { hello: { ...hello, ...told }, log }), late_ms)
  }
  if (hook === "dispose") {
    disposing = id
    return finish()
  }
  if (hook === "ping") return answer(id)
  const orders = JSON.parse((line.match(/@do(\{.*?\})od@/s)?.[1] ?? "{}").replaceAll('\\"', '"'))
  if (orders.die && !fields.retry) process.exit(7)
  if (orders.die_always) process.exit(8)
  if (orders.hang) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (orders.hold) return
  open += 1
  setTimeout(() => {
    answer(id, orders.say ?? answers[hook] ?? {})
    open -= 1
    finish()
  }, orders.wait_ms ?? 0)
}

process.stdin.setEncoding("utf8")
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop()
  lines.forEach(take)
})
process.stdin.on("end", () => {
  keep({ hook: "end" })
  process.exit(0)
})
