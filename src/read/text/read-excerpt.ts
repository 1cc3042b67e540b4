import { isUtf8 } from "node:buffer";
import type { CodePage } from "./code-page.ts";
import type { Excerpt } from "./excerpts.ts";
import { characterLength } from "./utf8-check.ts";
import type { Characters } from "./weigh-text.ts";

/** An excerpt as text; the word goes from `from` to `to`. */
export interface ExcerptText {
  readonly text: Characters;
  readonly from: number;
  readonly to: number;
}

/** The excerpt with one character per byte. */
export function readWithPage({ bytes, from, to }: Excerpt, page: CodePage): ExcerptText {
  return { text: Array.from(bytes, (byte) => characterOf(byte, page)), from, to };
}

/** The excerpt in UTF-8; bytes that are not UTF-8 are read with the code page, or left out if there is none. */
export function readAsUtf8({ bytes, from, to }: Excerpt, page?: CodePage): ExcerptText {
  const text: (string | undefined)[] = [];
  const raw = Buffer.from(bytes, "latin1");
  let start = 0;
  let end = 0;
  for (let at = 0; at < raw.length;) {
    if (at <= from) start = text.length;
    const piece = raw.subarray(at, at + characterLength(raw[at] ?? 0));
    const isCharacter = isUtf8(piece);
    if (isCharacter) text.push(piece.toString());
    else if (page !== undefined) text.push(characterOf(bytes.charAt(at), page));
    at += isCharacter ? piece.length : 1;
    if (at <= to) end = text.length;
  }
  return { text, from: start, to: end };
}

/** The excerpt in any encoding, decoded normally. */
export function readDecoded({ bytes, from, to }: Excerpt, decode: (bytes: Buffer) => string): ExcerptText {
  const [before, word, after] = [bytes.slice(0, from), bytes.slice(from, to), bytes.slice(to)].map((part) =>
    Array.from(decode(Buffer.from(part, "latin1"))),
  ) as [string[], string[], string[]];
  return { text: [...before, ...word, ...after], from: before.length, to: before.length + word.length };
}

function characterOf(byte: string, page: CodePage): string | undefined {
  return byte < "\u0080" ? byte : page[byte.charCodeAt(0) - 0x80];
}
