/// <reference types="node" />
import type { Reader } from "./reader.js";
import fs, * as path from "node:path";
export * from "./all";

declare module "left" { export function pad(text: string, ...rest: number[]): string; }
declare global { interface Window { store?: Store<any> } }

type Keys<T> = { readonly [K in keyof T as `get${Capitalize<string & K>}`]?: () => T[K] };
type Only<T> = T extends (infer U extends string)[] ? U : never;
enum Color { Red = 1 << 2, Green = "green".length }
abstract class Base<in out T extends object = {}> implements Reader {
  static #count = 0;
  private readonly seen = new Map<string, Set<T>>();
  declare name: string;
  constructor(protected url: string, public tries?: number) { super(); }
  get size(): number { return this.seen.size; }
  abstract load(key: keyof T): Promise<T | undefined>;
  @logged({ level: "info" }) async *items<K extends string>(this: Base<T>, key: K): AsyncGenerator<[K, T]> {
    outer: for await (const it of this.seen.get(key) ?? []) {
      if (it === null) continue outer; else yield [key, it!];
    }
  }
  static { Base.#count++; }
}
export default function discount(total: number, { rate = 0.1, ...rest }: Partial<Rules> = {}): asserts total is number {
  const text = `total: ${total > 0 ? `${total}` : /[/\]]+/giu.exec("a")?.[0]}`;
  switch (text) {
    case "a": case "b": break;
    default: throw new Error("not implemented");
  }
  try { JSON.parse(text) } catch { } finally { debugger; }
  const f = <T,>(a: T): a is NonNullable<T> => a satisfies unknown as boolean;
  return void (async () => { await import("./x", { with: { type: "json" } }) })();
}
let a = b
++c
