import { isAscii } from "node:buffer";
import type { RecPushError } from "../../model/failure.ts";
import type { Notice, Pin } from "../../model/reading.ts";
import { createDecoder, type Decoder } from "./decode.ts";
import { inputError } from "../input-error.ts";
import { createTextCheck } from "./text-check.ts";
import { createUtf8Check, cutBytes, findMultiByte } from "./utf8-check.ts";

/** A decoder that finds the encoding out while it decodes; ask it after `end`. */
export interface DetectingDecoder extends Decoder {
  readonly encoding: () => "utf-8" | "windows-1252";
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/**
 * UTF-8 until the first invalid byte, windows-1252 from there on. That needs one pass only: what came before must be
 * ASCII, which both read alike, because valid multi-byte sequences and invalid bytes in one file stop the run.
 */
export function createDetectingDecoder(file: string): DetectingDecoder {
  const utf8 = createUtf8Check();
  const notices: Notice[] = [];
  const pins: Pin[] = [];
  let fallback: Decoder | undefined;
  let multiByteLine: number | undefined;
  let invalidLine = 0;
  let cut = Buffer.alloc(0);
  const check = createTextCheck(file, () => (fallback === undefined ? "utf-8" : "windows-1252"));

  function* fallBack(rest: Buffer): Generator<Buffer> {
    invalidLine = check.at(rest, 0).line;
    if (multiByteLine !== undefined) {
      throw mixed(file, multiByteLine, invalidLine);
    }
    fallback = createDecoder("windows-1252", file, check);
    const text = `line ${invalidLine} is not UTF-8: read as windows-1252`;
    notices.push({ line: invalidLine, text });
    const because = `line ${invalidLine} is not UTF-8`;
    pins.push({ what: "encoding", option: "--encoding windows-1252", because });
    yield* pushFallback(fallback, rest);
  }

  function* pushFallback(decoder: Decoder, chunk: Buffer): Generator<Buffer> {
    const joined = cut.length === 0 ? chunk : Buffer.concat([cut, chunk]);
    const at = findMultiByte(joined);
    if (at !== -1) {
      throw mixed(
        file,
        check.at(joined.subarray(cut.length), Math.max(at - cut.length, 0)).line,
        invalidLine,
      );
    }
    cut = Buffer.from(joined.subarray(joined.length - cutBytes(joined)));
    yield* decoder.push(chunk);
  }

  return {
    *push(chunk) {
      if (fallback !== undefined) {
        yield* pushFallback(fallback, chunk);
        return;
      }
      const { pieces, rest } = utf8.push(chunk);
      for (const piece of pieces) {
        if (multiByteLine === undefined && !isAscii(piece)) {
          multiByteLine = check.at(
            piece,
            piece.findIndex((byte) => byte >= 0x80),
          ).line;
        }
        check.add(piece);
        yield piece;
      }
      if (rest !== undefined) {
        yield* fallBack(rest);
      }
    },
    *end() {
      const held = utf8.end();
      if (fallback === undefined && held.length > 0) {
        yield* fallBack(held);
      }
      yield* fallback?.end() ?? [];
    },
    encoding: () => (fallback === undefined ? "utf-8" : "windows-1252"),
    notices,
    pins,
  };
}

function mixed(file: string, utf8Line: number, otherLine: number): RecPushError {
  return inputError(
    { file, line: Math.max(utf8Line, otherLine) },
    "mixed-encoding",
    `two encodings in one file: line ${utf8Line} has UTF-8 characters, line ${otherLine} has bytes that are not UTF-8`,
    { hint: "export the file again in one encoding; if it is all in one, name it: --encoding windows-1252" },
  );
}
