// What the tests of both plugins share.
//
// Arguments: the plugin, the same plugin for a program that is not there, that program's path, the folder to work in,
// and the file for the results: each test's name and what is wrong with it.

import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

export const [pluginPath, absentPluginPath, doublePath, absentPath, folder, resultsPath] = process.argv.slice(2)
export const plugin = await import(pathToFileURL(pluginPath).href)
export const absentPlugin = await import(pathToFileURL(absentPluginPath).href)

/** What tells the double how to answer; see there. */
export const orders = (what) => `@do${JSON.stringify(what)}od@`
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

let worlds = 0

/** What the next bridge is told, and what was sent to it. */
export function lines(hello, mode) {
  const log = `${folder}/lines-${(worlds += 1)}.jsonl`
  writeFileSync(log, "")
  process.env.DOUBLE_LOG = log
  process.env.DOUBLE_HELLO = JSON.stringify(hello)
  process.argv = [process.argv[0], "opencode", mode]
  return () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
}

/** Waits for a condition; a test that waits in vain fails. */
export async function until(condition, what = condition.toString()) {
  for (let waited = 0; waited < 10_000; waited += 10) {
    if (await condition()) return
    await sleep(10)
  }
  assert.fail(`it never came to this: ${what}`)
}

export async function failure(promise) {
  try {
    await promise
  } catch (error) {
    return error
  }
  return assert.fail("nothing was thrown")
}

export const reason = async (promise) => (await failure(promise)).message

/** Runs all and writes down what came of them. */
export async function run(tests) {
  const results = []
  for (const [name, test] of Object.entries(tests)) {
    const problem = await test().then(
      () => "",
      (error) => error.stack,
    )
    results.push({ name, problem })
  }
  writeFileSync(resultsPath, JSON.stringify(results))
  process.exit(0)
}
