// A way from HTTP to a server on stdio, for a suite that speaks HTTP alone. Prints its address, serves until stdin ends.
//
//   node bridge.mjs PROGRAM ARGUMENT...
//
// One server for each session that `initialize` opens, and one for all requests without a session. A request is
// answered with an event stream: what the server tells of it on the way, then its answer.

import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { createInterface } from "node:readline"

const [program, ...words] = process.argv.slice(2)
const sessions = new Map()
let stateless

function start() {
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] })
  const open = new Map()
  let last = 0
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line)
    if (message.method !== undefined) {
      const token = message.params?.progressToken
      for (const it of open.values()) if (it.token === token) it.tell(message)
      return
    }
    const it = open.get(message.id)
    open.delete(message.id)
    it?.done({ ...message, id: it.id })
  })
  // Ids of different clients may be the same.
  const ask = (message, tell) =>
    new Promise((done) => {
      last += 1
      open.set(last, { id: message.id, token: message.params?._meta?.progressToken, tell, done })
      child.stdin.write(JSON.stringify({ ...message, id: last }) + "\n")
    })
  const tell = (message) => child.stdin.write(JSON.stringify(message) + "\n")
  return { ask, tell, end: () => child.kill() }
}

function serverOf(message, header) {
  // The stateless revision has no handshake.
  const named = message.params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined
  if (message.method === "initialize" && !named) {
    const id = randomUUID()
    sessions.set(id, start())
    return { id, server: sessions.get(id) }
  }
  if (header !== undefined) return { server: sessions.get(header) }
  stateless ??= start()
  return { server: stateless }
}

const http = createServer((request, response) => {
  const header = request.headers["mcp-session-id"]
  const say = (status, headers, body) => response.writeHead(status, headers).end(body)
  const origin = request.headers.origin ?? `http://${request.headers.host}`
  if (!["localhost", "127.0.0.1"].includes(new URL(origin).hostname)) return say(403)
  if (!/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(request.headers.host ?? "")) return say(403)
  if (request.method === "DELETE") {
    sessions.get(header)?.end()
    return say(sessions.delete(header) ? 200 : 404)
  }
  if (request.method !== "POST") return say(405, { allow: "POST, DELETE" })
  const parts = []
  request.on("data", (part) => parts.push(part))
  request.on("end", async () => {
    let message
    try {
      message = JSON.parse(Buffer.concat(parts).toString("utf8"))
    } catch {
      return say(400, { "content-type": "application/json" }, '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}')
    }
    const { id, server } = serverOf(message, header)
    if (server === undefined) return say(404)
    if (message.id === undefined || message.method === undefined) {
      server.tell(message)
      return say(202)
    }
    const told = []
    const answer = await server.ask(message, (it) => told.push(it))
    const headers = id === undefined ? {} : { "mcp-session-id": id }
    // What the stateless revision wants of a refusal over HTTP.
    const status = { [-32601]: 404, [-32602]: 400, [-32022]: 400, [-32600]: 400 }[answer.error?.code] ?? 200
    if (status !== 200 && header === undefined && id === undefined) {
      return say(status, { "content-type": "application/json" }, JSON.stringify(answer))
    }
    const body = [...told, answer].map((it) => `event: message\ndata: ${JSON.stringify(it)}\n\n`).join("")
    say(200, { ...headers, "content-type": "text/event-stream" }, body)
  })
})

http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`))
process.stdin.on("end", () => process.exit(0)).resume()
