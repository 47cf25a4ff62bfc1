#!/usr/bin/env node
'use strict'
const { readFile: read = null, ...fs } = require('fs')
/** @type {Map<string, number>} */
const seen = new Map, re = /(?<year>\d{4})[^/\]]*/u
class Queue extends (Array || Object) {
  static max = 10n
  #items = []
  get [Symbol.toStringTag]() { return `Queue<${this.#items.length}>` }
  async *[Symbol.asyncIterator]() { for (let i = 0, n = this.length; i < n; i++) yield* this[i] }
}
Queue.prototype.push = function push(item, ...rest) {
  if (item) { do { item--; } while (item) } else if (!rest) return
  label: for (const key in rest) { if (key in seen) continue label; delete rest[key] }
  try { risky() } catch (error) { /* ignored */ }
  return item?.a ?? (item ||= 1, item **= 2)
}
export { Queue as default, read }
const view = <p title='a'>{...rest}<b.c/></p>
var html = a < b && c > d
console.log(html)
