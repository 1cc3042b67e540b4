import { isAscii } from "node:buffer";
import { createUtf8Check, decodeWestern } from "./decode.ts";
import {
  type Grade,
  isFrenchOnly,
  isWesternLetter,
  isPaired,
  judgeSign,
  judgeWord,
  looksFrench,
  NEAR,
} from "./western-words.ts";

/** A word or sign that windows-1252 does not explain, or hardly. */
export interface DoubtfulText {
  readonly text: string;
  /** Where it begins in the input, as a byte position. */
  readonly offset: number;
  /** Some bytes of its line, with it among them. */
  readonly bytes: Buffer;
}

/** How an input reads as UTF-8 and as windows-1252. */
export interface WesternText {
  readonly isUtf8: boolean;
  /** The offset of the first byte that is not UTF-8 or, if there is none, not ASCII; 0 for ASCII. */
  readonly foreignByte: number;
  /** False for ASCII. */
  readonly hasHigh: boolean;
  /** True if its words and signs are written as in these languages. */
  readonly fits: boolean;
  /** True if slips and foreign names do not explain all doubts. */
  readonly isDisproved: boolean;
  /** Set if letters of UTF-8 (`Ã©`) are the only evidence against it. */
  readonly utf8: DoubtfulText | undefined;
  /** Number of words and signs that are evidence for it. */
  readonly firm: number;
  /** The first doubts. */
  readonly doubts: readonly DoubtfulText[];
  /** Different characters that it holds, if it fits. */
  readonly used: readonly string[];
}

/** At most one doubtful word in so many is a slip or a name, and at most one impossible word in so many. */
const WORDS_FOR_DOUBTFUL = 20;
const WORDS_FOR_NEVER = 1_000;
/** From so many firm words on, dots and dashes between letters are slips too. */
const WORDS_FOR_SLIP = 200;

/** A place is judged by so many bytes before and after it, in its line. */
const REACH = 256;
/** A longer line is judged in parts. */
const MOST_LINE_BYTES = 65_536;
/** So many bytes of a line are shown before and after a doubt. */
const SHOWN_BEFORE = 40;
const SHOWN_AFTER = 60;
/** A doubtful sign is named with what is beside it. */
const BESIDE_BEFORE = /[^\s;,|"]*$/;
const BESIDE_AFTER = /^[^\s;,|"]*/;
/** So many doubts tell the readings apart. */
const MOST_DOUBTS = 40;
/** Longer texts repeat their words; new ones are then judged each time. */
const MOST_KNOWN = 20_000;

const HIGH = /[^\0-\x7f]/g;

/**
 * Judges an input as UTF-8 and as windows-1252, however it is cut into chunks: each different word, and each sign. Holds one line, and
 * the grades of its words.
 */
export class WesternJudge {
  readonly #grades = new Map<string, Grade>();
  readonly #count: Record<Grade, number> = { firm: 0, weak: 0, doubtful: 0, never: 0, foreign: 0 };
  readonly #doubts: DoubtfulText[] = [];
  readonly #utf8Check = createUtf8Check();
  #bytes = 0;
  #firstHigh: number | undefined;
  #firstInvalid: number | undefined;
  #utf8: DoubtfulText | undefined;
  #isFrench = false;
  /** Words that are only firm in a French text. */
  readonly #ifFrench: DoubtfulText[] = [];
  #ifFrenchCount = 0;
  /** The lines that are judged, and where they begin in the input. */
  #lines: Buffer = Buffer.alloc(0);
  #base = 0;
  /** The beginning of the next line. */
  #held: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#firstInvalid === undefined) this.#checkUtf8(this.#utf8Check.push(chunk).rest);
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#judge(bytes, endOfLines(bytes));
  }

  finish(): WesternText {
    this.#judge(this.#held, this.#held.length);
    if (this.#firstInvalid === undefined) this.#checkUtf8(this.#utf8Check.end());
    const { firm, weak, doubtful, never, foreign } = this.#count;
    const inFrench = this.#isFrench ? 0 : this.#ifFrenchCount;
    const doubts = this.#isFrench ? this.#doubts : [...this.#doubts, ...this.#ifFrench];
    const odd = doubtful + inFrench;
    const isAllowed = WORDS_FOR_DOUBTFUL * odd + WORDS_FOR_NEVER * never <= firm - inFrench;
    const isClean = foreign === 0 && this.#utf8 === undefined;
    return {
      isUtf8: this.#firstInvalid === undefined,
      foreignByte: this.#firstInvalid ?? this.#firstHigh ?? 0,
      hasHigh: this.#firstHigh !== undefined,
      fits: isClean && isAllowed && (firm > inFrench || weak === 0),
      isDisproved: !isClean || WORDS_FOR_NEVER * never > firm,
      utf8: foreign === 0 && never === 0 ? this.#utf8 : undefined,
      firm,
      doubts: doubts.toSorted((a, b) => a.offset - b.offset),
      used: [...new Set([...this.#grades.keys()].join(""))].filter((character) => character > "\x7f"),
    };
  }

  /** Nothing behind the first byte that is not UTF-8 is checked. */
  #checkUtf8(rest: Buffer = Buffer.alloc(0)): void {
    if (rest.length > 0) this.#firstInvalid = this.#bytes - rest.length;
  }

  /** Further text would not change the verdict. */
  get #isSettled(): boolean {
    const isAgainst = this.#count.foreign > 0 || this.#utf8 !== undefined;
    return isAgainst && this.#doubts.length === MOST_DOUBTS;
  }

  /** Judges whole lines, up to `end`; what follows waits. */
  #judge(bytes: Buffer, end: number): void {
    this.#lines = bytes.subarray(0, end);
    if (!this.#isSettled && !isAscii(this.#lines)) {
      const text = decodeWestern(this.#lines);
      for (let at = 0; ;) {
        HIGH.lastIndex = at;
        const next = HIGH.exec(text)?.index;
        if (next === undefined) break;
        this.#firstHigh ??= this.#base + next;
        at = isWesternLetter(text.charCodeAt(next)) ? this.#takeWord(text, next) : this.#takeSign(text, next);
      }
    }
    this.#base += end;
    this.#held = Buffer.from(bytes.subarray(end));
  }

  /** Judges the word around its first high letter; returns where it ends. */
  #takeWord(text: string, at: number): number {
    let from = at;
    while (from > 0 && at - from < REACH / 2 && isWesternLetter(text.charCodeAt(from - 1))) from--;
    let to = at + 1;
    while (to < text.length && to - at < REACH / 2 && isWesternLetter(text.charCodeAt(to))) to++;
    const word = text.slice(from, to);
    const isInside = UTF8_LETTER.test(word);
    if (isInside || UTF8_LETTER.test(`${word}${text[to] ?? ""}`)) {
      const end = isInside ? to : to + 1;
      const doubt = this.#doubt(text, from, end);
      this.#utf8 ??= doubt;
      this.#keep(doubt);
      return end;
    }
    // The key is a text of its own: a part of another would keep the whole chunk in memory.
    const key = `${word}\0`;
    if (this.#grades.has(key)) return to;
    let grade = judgeWord(word);
    if (this.#grades.size < MOST_KNOWN) this.#grades.set(key, grade);
    if (grade === "firm") {
      // A letter beside a digit, unless it is that of 2ème.
      const isAfterDigit = text[from]! > "\x7f" && text[from] !== "è" && isDigit(text, from - 1);
      if (isAfterDigit || (text[to - 1]! > "\x7f" && isDigit(text, to))) grade = "doubtful";
    }
    this.#count[grade]++;
    if (grade !== "firm") this.#keep(this.#doubt(text, from, to));
    else if (looksFrench(word)) this.#isFrench = true;
    else if (isFrenchOnly(word)) {
      this.#ifFrenchCount++;
      if (this.#ifFrench.length < MOST_DOUBTS) this.#ifFrench.push(this.#doubt(text, from, to));
    }
    return to;
  }

  #takeSign(text: string, at: number): number {
    const sign = text[at]!;
    const reach = isPaired(sign) ? REACH : NEAR;
    const before = text.slice(startOfLine(text, at, reach), at);
    const after = text.slice(at + 1, endOfLine(text, at + 1, reach));
    const place = `${before}\0${sign}${after}`;
    let grade = this.#grades.get(place) ?? judgeSign(sign, before, after);
    if (this.#grades.size < MOST_KNOWN) this.#grades.set(reach === NEAR ? place : sign, grade);
    if (grade === "foreign" && /[…–—]/.test(sign) && this.#count.firm > WORDS_FOR_SLIP) grade = "doubtful";
    this.#count[grade]++;
    if (grade !== "firm" && grade !== "weak") {
      const from = at - BESIDE_BEFORE.exec(text.slice(Math.max(at - NEAR, 0), at))![0].length;
      const to = at + 1 + BESIDE_AFTER.exec(text.slice(at + 1, at + 1 + NEAR))![0].length;
      this.#keep(this.#doubt(text, from, to));
    }
    return at + 1;
  }

  #keep(doubt: DoubtfulText): void {
    if (this.#doubts.length < MOST_DOUBTS) this.#doubts.push(doubt);
  }

  #doubt(text: string, from: number, to: number): DoubtfulText {
    const [left, right] = [startOfLine(text, from, SHOWN_BEFORE), endOfLine(text, from, SHOWN_AFTER)];
    const bytes = Buffer.from(this.#lines.subarray(left, right));
    return { text: Buffer.from(text.slice(from, to)).toString(), offset: this.#base + from, bytes };
  }
}

/** Where the last line ends that is whole; in a very long one, behind a byte that is no letter. */
function endOfLines(bytes: Buffer): number {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (bytes.length - end <= MOST_LINE_BYTES) return end;
  const last = bytes.findLastIndex((byte) => byte < 0x30);
  return last === -1 ? bytes.length : last + 1;
}

/** Two bytes of UTF-8, as in `Ã©` and `â€™`. */
const UTF8_LETTER = /[ÂÃÄÅ](?:[\x80-\xbf]|[^\0-\xff])|â€/;

/** The first character of its line, or the one `reach` before. */
function startOfLine(text: string, at: number, reach: number): number {
  let from = at;
  while (from > 0 && at - from < reach && !isLineEnd(text, from - 1)) from--;
  return from;
}

function endOfLine(text: string, at: number, reach: number): number {
  let to = at;
  while (to < text.length && to - at < reach && !isLineEnd(text, to)) to++;
  return to;
}

function isLineEnd(text: string, at: number): boolean {
  return text[at] === "\n" || text[at] === "\r";
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}
