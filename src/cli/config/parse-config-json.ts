import { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/visible-text.ts";

const MOST_DEPTH = 20;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\]|\\.)*"/sy;
const SPACE = /[ \t\r\n]*/y;
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

/**
 * Reads JSON as JSON.parse does, but tells line and column of a mistake on every Node, and refuses a key given twice.
 * Throws usage.
 */
export function parseConfigJson(text: string, file: string): unknown {
  const parser = new Parser(text.replace(/^\uFEFF/, ""), file);
  return parser.document();
}

class Parser {
  readonly #text: string;
  readonly #file: string;
  #at = 0;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  document(): unknown {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#fail(`the file goes on behind its end`);
    return value;
  }

  #value(depth: number): unknown {
    this.#space();
    const first = this.#text[this.#at];
    if (depth > MOST_DEPTH) throw this.#fail("objects nested so deep");
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#list(depth);
    if (first === '"') return this.#string("a text that does not end, or holds what JSON does not allow");
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number);
    throw this.#fail(`expected a value, not ${this.#found()}`);
  }

  #object(depth: number): unknown {
    const entries = new Map<string, unknown>();
    this.#at++;
    this.#space();
    if (this.#take("}")) return {};
    do {
      this.#space();
      const start = this.#at;
      const key = this.#string(`expected a key between double quotes, not ${this.#found()}`);
      if (entries.has(key)) {
        this.#at = start;
        throw this.#fail(`the key ${quoteText(key)} is given twice`);
      }
      this.#space();
      if (!this.#take(":"))
        throw this.#fail(`expected ":" behind the key ${quoteText(key)}, not ${this.#found()}`);
      entries.set(key, this.#value(depth + 1));
      this.#space();
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#fail(`expected "," or "}", not ${this.#found()}`);
    return Object.fromEntries(entries);
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    this.#space();
    if (this.#take("]")) return items;
    do {
      items.push(this.#value(depth + 1));
      this.#space();
    } while (this.#take(","));
    if (!this.#take("]")) throw this.#fail(`expected "," or "]", not ${this.#found()}`);
    return items;
  }

  #string(otherwise: string): string {
    const start = this.#at;
    try {
      return JSON.parse(this.#match(STRING) ?? "") as string;
    } catch {
      this.#at = start;
      throw this.#fail(otherwise);
    }
  }

  #space(): void {
    this.#match(SPACE);
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #found(): string {
    if (this.#at >= this.#text.length) return "the end of the file";
    return this.#text.startsWith("//", this.#at) || this.#text.startsWith("/*", this.#at)
      ? "a comment, which JSON does not know"
      : quoteText(String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0));
  }

  #fail(what: string): RecPushError {
    const before = this.#text.slice(0, this.#at).split(/\r\n|\n|\r/);
    const line = before.length;
    const column = (before.at(-1)?.length ?? 0) + 1;
    return new RecPushError("usage", "config-json", `${this.#file}:${line}:${column}: ${what}`, {
      place: { file: this.#file, line, column },
    });
  }
}
