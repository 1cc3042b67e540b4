import { isAscii } from "node:buffer";
import { createDecoder, type Decoder } from "./decode.ts";
import { createTextCheck, TextFault } from "./text-check.ts";
import { createUtf8Check } from "./utf8-check.ts";

/**
 * Decodes in the encoding that the input probably has, before all of it was seen; ask for that encoding after `end`.
 */
export interface TrialDecoder extends Decoder {
  /** The encoding in which all of it was decoded; `undefined` if that failed. */
  readonly encoding: () => "utf-8" | "windows-1252" | undefined;
  /** Whether everything so far is valid UTF-8. */
  readonly isUtf8: () => boolean;
  /** The offset of the first byte that is not UTF-8 or, if there is none, not ASCII. */
  readonly foreignByte: () => number | undefined;
}

/**
 * UTF-8 until the first byte that is not, and windows-1252 from there on: most inputs need no second pass, because what
 * comes before is mostly ASCII, which both read alike. Throws only what no encoding could fix.
 */
export function createTrialDecoder(file: string): TrialDecoder {
  const utf8 = createUtf8Check();
  let fallback: Decoder | undefined;
  let hasFailed = false;
  let isUtf8 = true;
  /** Of what was decoded as UTF-8. */
  let bytes = 0;
  let firstMultiByte: number | undefined;
  let firstInvalid: number | undefined;
  const check = createTextCheck(file, () => (fallback === undefined ? "utf-8" : "windows-1252"));

  function* decodeUtf8(chunk: Buffer): Generator<Buffer> {
    const { pieces, rest } = utf8.push(chunk);
    isUtf8 = rest === undefined;
    for (const piece of pieces) {
      if (firstMultiByte === undefined && !isAscii(piece))
        firstMultiByte = bytes + piece.findIndex((byte) => byte >= 0x80);
      check(piece);
      bytes += piece.length;
      yield piece;
    }
    if (rest !== undefined) yield* fallBack(rest);
  }

  function* fallBack(rest: Buffer): Generator<Buffer> {
    firstInvalid = bytes;
    // The text that was already decoded as UTF-8 would have to be decoded again.
    if (firstMultiByte !== undefined) hasFailed = true;
    else {
      fallback = createDecoder("windows-1252", file, check);
      yield* fallback.push(rest);
    }
  }

  /** Continues to check for UTF-8 after a failure in valid UTF-8, because the rest may be invalid. */
  function checkOn(chunk: Buffer): Iterable<Buffer> {
    isUtf8 &&= utf8.push(chunk).rest === undefined;
    return [];
  }

  function* attempt(pieces: () => Iterable<Buffer>): Generator<Buffer> {
    if (hasFailed) return;
    try {
      yield* pieces();
    } catch (error) {
      if (!(error instanceof TextFault) || error.isNul) throw error;
      hasFailed = true;
    }
  }

  return {
    push: (chunk) =>
      hasFailed
        ? checkOn(chunk)
        : attempt(() => (fallback === undefined ? decodeUtf8(chunk) : fallback.push(chunk))),
    *end() {
      isUtf8 &&= utf8.end().length === 0;
      yield* attempt(() => {
        const held = utf8.end();
        return fallback === undefined && held.length > 0 ? fallBack(held) : [];
      });
      yield* attempt(() => fallback?.end() ?? []);
    },
    encoding: () => (hasFailed ? undefined : fallback === undefined ? "utf-8" : "windows-1252"),
    isUtf8: () => isUtf8,
    foreignByte: () => firstInvalid ?? firstMultiByte,
  };
}
