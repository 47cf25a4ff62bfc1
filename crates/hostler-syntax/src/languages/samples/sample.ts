import fs, { readFile as read } from "fs";
import * as path from "path";

export const API_KEY: string = "secret123";

/** Walks. */
export class Big extends Base implements Thing {
  private token = "hunter22";
  static readonly limit = 3;
  handle = (e: Event): void => {
    if (e) {
      this.stop();
    }
  };

  constructor(private readonly a: number) {
    super();
  }

  async walk(a: number, b = "x", ...rest: string[]): Promise<number> {
    if (a > 0) {
      for (const x of rest) {
        switch (x) {
          case "1":
            return this.a;
          default:
            break;
        }
      }
    } else if (a < 0) {
      rest.forEach((it) => {
        if (it) {
          while (a) {
            a--;
          }
        }
      });
    }
    try {
      f();
    } catch (error) {
      logger.error(`failed ${error}`);
    }
    try {
      f();
    } catch {}
    console.log("done");
    return a;
  }

  private stub(): void {
    throw new Error("Not implemented");
  }
}

interface Thing {
  sig(a: number): void;
}

export const empty = () => {};

function hidden(): void {
  debugger;
}
