import { isAscii } from "node:buffer";
import { createExcerptCollector, type Excerpt } from "./excerpts.ts";
import { createUtf8Check } from "./utf8-check.ts";

/** Evidence about an input's encoding, collected from its bytes. */
export interface Evidence {
  /** True if all of it is valid UTF-8. */
  readonly isUtf8: boolean;
  readonly excerpts: readonly Excerpt[];
  /** By byte, from 0x80 up: not 0 if the input contains it. */
  readonly used: Uint8Array;
  /** Different words of ASCII letters from the beginning, in lower case. */
  readonly asciiWords: readonly string[];
}

/** Takes an input's bytes in order, cut anywhere. */
export interface EvidenceCollector {
  push(chunk: Buffer): void;
  finish(): Evidence;
}

/** Says whether an input is valid UTF-8 so far. */
interface Utf8Watch {
  push(chunk: Buffer): boolean;
  end(): boolean;
}

/** Number of unambiguous UTF-8 words that are enough, and in how many bytes they are looked for. */
const ENOUGH_EXCERPTS = 64;
const ENOUGH_BYTES = 262_144;
/** The ASCII words are taken from this many bytes. */
const HEAD_BYTES = 65_536;
const MOST_WORDS = 200;

/**
 * Examines the whole input in bounded memory. `utf8` says after each chunk whether everything so far is valid UTF-8.
 */
export function createEvidenceCollector(utf8: Utf8Watch = watchUtf8()): EvidenceCollector {
  const collector = createExcerptCollector();
  const head: Buffer[] = [];
  let headBytes = 0;
  let isUtf8 = true;
  let lookedAt = 0;

  const isEnough = (): boolean =>
    isUtf8 && (collector.excerpts.length >= ENOUGH_EXCERPTS || lookedAt >= ENOUGH_BYTES);

  return {
    push(chunk) {
      if (headBytes < HEAD_BYTES) {
        head.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - headBytes)));
        headBytes += chunk.length;
      }
      isUtf8 = utf8.push(chunk);
      if (isEnough()) {
        collector.skip(chunk);
        return;
      }
      if (!isAscii(chunk)) lookedAt += chunk.length;
      collector.push(chunk);
    },
    finish() {
      collector.end();
      isUtf8 = utf8.end();
      const { excerpts, used } = collector;
      return { isUtf8, excerpts, used, asciiWords: findAsciiWords(Buffer.concat(head)) };
    },
  };
}

function watchUtf8(): Utf8Watch {
  const check = createUtf8Check();
  let isUtf8 = true;
  return {
    push: (chunk) => (isUtf8 &&= check.push(chunk).rest === undefined),
    end: () => (isUtf8 &&= check.end().length === 0),
  };
}

function findAsciiWords(head: Buffer): string[] {
  const words = new Set<string>();
  for (const [word] of head.toString("latin1").matchAll(/[A-Za-z\u0080-\u00ff]{4,}/g)) {
    if (words.size === MOST_WORDS) break;
    if (/^[A-Za-z]+$/.test(word)) words.add(word.toLowerCase());
  }
  return [...words];
}
