import type { Cell } from "../../model/problem-groups.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { AmountScan, scanAmount } from "../amount/amount-scan.ts";
import { COMMA, PlainAmount } from "../amount/plain-amount.ts";
import { DateEvidence } from "../date/date-evidence.ts";
import { scanDate } from "../date/date.ts";
import { dateFormOf, KnownDates, SeenDates } from "../date/seen-dates.ts";
import { DateScan } from "../date/short-years.ts";
import { beginsWithNoValue, isDigit, isLatin, isLetter, LATIN_LETTERS } from "../plain-texts.ts";
import { CLOSER_LOOK, type WriteCell, writeDigits, writeKey } from "../record/cell-writers.ts";
import type { TakeBytes } from "../record/examined-field.ts";
import { trimSpaces } from "../spreadsheet-text.ts";
import type { Evidence } from "./plain-evidence.ts";

const PLUS = 0x2b;
const MINUS = 0x2d;
/** Longer keys and digits need a closer look. */
const MOST_WRITTEN = 1024;
/** Survey and writers must agree on what is plain; nobody reads what is written here. */
const WRITTEN = Buffer.alloc(MOST_WRITTEN);

/**
 * What the cells of a text column are so far, as `assembly/survey-fields.ts` numbers it: not certain yet; anything, of which
 * nothing has to be known any more but JSON's false; the same where true has come, so that false is a value too.
 */
export const TEXT_WAYS = { open: 0, others: 1, truths: 2 } as const;
type TextWay = (typeof TEXT_WAYS)[keyof typeof TEXT_WAYS];

/** Takes keys that are sent as they are. */
export const takePlainKey: TakeBytes = (bytes, start, end) => isWritten(writeKey, bytes, start, end);

/** Takes ASCII digits and notes how many there are. */
export function takePlainDigits(widths: WidthWatch): TakeBytes {
  return (bytes, start, end, line) => {
    if (!isWritten(writeDigits, bytes, start, end)) return false;
    widths.add(end - start, line);
    return true;
  };
}

/** How the plain cells of a column are taken one by one, and what has to be known to take many at once. */
interface PlainEvidence {
  readonly take: TakeBytes;
  readonly bulk: BulkCells;
}

/** What the survey of many rows at once has to know of a column, beside its samples. */
export type BulkCells =
  | { readonly kind: "key" }
  | { readonly kind: "text"; readonly way: () => TextWay }
  | { readonly kind: "digits"; readonly widths: WidthWatch }
  | { readonly kind: "date"; readonly seen: SeenDates }
  /** `known`: 1 for the forms of amounts that were added. */
  | { readonly kind: "amount"; readonly evidence: AmountEvidence; readonly known: Uint8Array };

/** Takes dates and amounts in their usual forms; `undefined` for other evidence. */
export function takePlainEvidence(evidence: Evidence): PlainEvidence | undefined {
  if (evidence instanceof AmountEvidence) {
    const known = new Uint8Array(PlainAmount.FORMS);
    return { take: takePlainAmounts(evidence, known), bulk: { kind: "amount", evidence, known } };
  }
  if (!(evidence instanceof DateEvidence)) return undefined;
  const seen = new SeenDates();
  return { take: takePlainDates(evidence, seen), bulk: { kind: "date", seen } };
}

/** Takes amounts whose mark is certain: the first of each form is evidence, the others are only added up. */
function takePlainAmounts(
  evidence: AmountEvidence,
  known: Uint8Array = new Uint8Array(PlainAmount.FORMS),
): TakeBytes {
  const amount = new PlainAmount();
  const { scale } = evidence;
  return (bytes, start, end, line) => {
    if (!amount.scan(bytes, start, end)) return false;
    if (scale !== undefined && amount.decimals > scale) return false;
    if (known[amount.form] === 1) {
      evidence.sum.addUnits(amount.units, amount.decimals);
      return true;
    }
    if (evidence.add(bytes.toString("utf8", start, end), line) !== undefined) return false;
    known[amount.form] = 1;
    return true;
  };
}

/** Takes dates of eight digits and two separators, also before a clock: one that came before is no new evidence. */
function takePlainDates(evidence: DateEvidence, seen: SeenDates): TakeBytes {
  return (bytes, start, end, line) => {
    const form = dateFormOf(bytes, start, end);
    const code = seen.codeOf(bytes, start, form);
    if (code < 0) return false;
    if (seen.has(code, form)) return true;
    if (evidence.add(bytes.toString("latin1", start, end), line) !== undefined) return false;
    seen.add(code, form);
    return true;
  };
}

/**
 * Takes texts that are certainly no error marker: they begin with a letter, or as a number does, and not with a word for "no value".
 * `look` watches which type they might have.
 */
export function takePlainText(look: Pick<TypedLook, "addBytes">): TakeBytes {
  return (bytes, start, end) => {
    const first = bytes[start]!;
    const beginsNumber = isDigit(first) || first === PLUS || first === MINUS;
    if (!isLetter(first) && !isLatin(bytes, start) && !beginsNumber) return false;
    if (beginsWithNoValue(bytes, start, end)) return false;
    if (beginsNumber && mayBeCutNumber(bytes, start, end)) return false;
    for (let at = start; at < end; at++) {
      const code = bytes[at]!;
      // UTF-8 that was decoded twice looks like some of these letters.
      if (code === LATIN_LETTERS && at + 2 < end && mayBeDecodedTwice(bytes[at + 1]!, bytes[at + 2]!))
        return false;
    }
    return look.addBytes(bytes, start, end);
  };
}

/** A number with an exponent may have been cut by a spreadsheet (`isCutNumber`); `12 rue Haute` and `84029E` are none. */
function mayBeCutNumber(bytes: Buffer, start: number, end: number): boolean {
  let hasExponent = false;
  let hasSign = false;
  for (let at = start; at < end; at++) {
    const code = bytes[at]!;
    if ((code | 0x20) === 0x65) hasExponent = true;
    else if (isSign(code)) hasSign = true;
    else if (!isDigit(code)) return false;
  }
  return hasExponent && hasSign;
}

/** `+ , - .`, and `/`, which is not among numbers. */
function isSign(code: number): boolean {
  return code >= 0x2b && code <= 0x2f;
}

/** `Ã`, `Â` and `â` before anything but ASCII. */
function mayBeDecodedTwice(second: number, next: number): boolean {
  return next >= 0x80 && (second === 0x83 || second === 0x82 || second === 0xa2);
}

/** Leaves cells that may become samples to a closer look. */
export function unlessSampled(take: TakeBytes, samples: readonly Cell[], most: number): TakeBytes {
  return (bytes, start, end, line) => {
    if (samples.length < most && !isAmong(samples, bytes, start, end)) return false;
    return take(bytes, start, end, line);
  };
}

function isWritten(write: WriteCell, bytes: Buffer, start: number, end: number): boolean {
  return end - start <= MOST_WRITTEN && write(bytes, start, end, WRITTEN, 0) !== CLOSER_LOOK;
}

/** Fewer values than this prove nothing about a width. */
const LEAST_VALUES = 10;
/** If at least this share of the values has one width, shorter ones are reported. */
const MOSTLY = 0.9;
const MAX_WIDTH = 64;

/** Watches how many digits the values of a column have, in bounded memory. */
export class WidthWatch {
  readonly #counts = Array.from({ length: MAX_WIDTH + 1 }, () => 0);
  readonly #firstLines = Array.from({ length: MAX_WIDTH + 1 }, () => 0);

  add(digits: number, line: number): void {
    const width = Math.min(digits, MAX_WIDTH);
    if (this.#counts[width]!++ === 0) this.#firstLines[width] = line;
  }

  /** The same for so many values; the first of them is in `line`. */
  addAll(digits: number, count: number, line: number): void {
    if (this.#counts[digits] === 0) this.#firstLines[digits] = line;
    this.#counts[digits]! += count;
  }

  /** `nearly all have 8 digits, 3 have 6 or 7 (the first in line 12)`, if leading zeros seem to be lost. */
  describeShort(): string | undefined {
    const values = this.#counts.reduce((sum, count) => sum + count, 0);
    const usual = this.#counts.indexOf(Math.max(...this.#counts));
    const short = this.#counts.flatMap((count, width) => (count > 0 && width < usual ? [width] : []));
    if (values < LEAST_VALUES || this.#counts[usual]! < values * MOSTLY || short.length === 0)
      return undefined;
    const count = short.reduce((sum, width) => sum + this.#counts[width]!, 0);
    const line = Math.min(...short.map((width) => this.#firstLines[width]!));
    const have = count === 1 ? "1 has" : `${count} have`;
    return `nearly all have ${usual} digits, ${have} ${short.join(" or ")} (the first in line ${line})`;
  }
}

/** Watches a text column for a type that its values might have. */
export interface TypedLook {
  /** Adds one cell that is not blank. */
  add(cell: Cell): void;
  /** Adds one from its bytes, which are its text in UTF-8; false if it was not added, because it needs a closer look. */
  addBytes(bytes: Buffer, start: number, end: number): boolean;
  /** True once the column certainly holds neither: nothing is added any more. */
  readonly isClosed: boolean;
  /** The type that a notice should propose. */
  verdict(): "date" | "amount" | undefined;
}

/**
 * Detects a text column all of whose values read as dates with `/`, or as amounts of which at least one has a decimal
 * comma or grouping. The first value that is neither ends the watch.
 */
export function looksTyped(): TypedLook {
  const date = new DateScan();
  const amount = new AmountScan();
  const plainAmount = new PlainAmount();
  const knownDates = new KnownDates();
  let mayBeDate = true;
  let mayBeAmount = true;
  let isMarked = false;
  let count = 0;

  function add(text: string): void {
    if (!mayBeDate && !mayBeAmount) return;
    count++;
    mayBeDate = mayBeDate && text.includes("/") && scanDate(text, date) === undefined;
    if (!mayBeAmount) return;
    mayBeAmount = scanAmount(text, amount) === undefined;
    isMarked ||=
      mayBeAmount &&
      (amount.group !== 0 || amount.isAmbiguous() || (amount.mark !== -1 && amount.marks === COMMA));
  }

  function addDate(bytes: Buffer, start: number, end: number): boolean {
    const code = knownDates.codeOf(bytes, start, end);
    if (code < 0) return false;
    if (knownDates.has(code)) return true;
    add(bytes.toString("latin1", start, end));
    knownDates.add(code);
    return true;
  }

  function addAmount(bytes: Buffer, start: number, end: number): boolean {
    if (!plainAmount.scan(bytes, start, end)) return false;
    isMarked ||= plainAmount.isGrouped || plainAmount.mark === COMMA;
    return true;
  }

  return {
    get isClosed() {
      return !mayBeDate && !mayBeAmount;
    },
    add: (cell) => add(typeof cell === "string" ? trimSpaces(cell) : ""),
    addBytes(bytes, start, end) {
      // Nothing is both.
      if (mayBeDate) return addDate(bytes, start, end);
      return !mayBeAmount || addAmount(bytes, start, end);
    },
    verdict() {
      if (count === 0) return undefined;
      if (mayBeDate) return "date";
      return mayBeAmount && isMarked ? "amount" : undefined;
    },
  };
}

/** True if some bytes of UTF-8 are certainly the text of one of the samples. */
export function isAmong(samples: readonly Cell[], bytes: Buffer, start: number, end: number): boolean {
  for (const sample of samples) if (isSame(sample, bytes, start, end)) return true;
  return false;
}

function isSame(sample: Cell, bytes: Buffer, start: number, end: number): boolean {
  if (typeof sample !== "string" || sample.length > end - start) return false;
  let place = start;
  for (let at = 0; at < sample.length; at++) {
    const code = sample.charCodeAt(at);
    if (code < 0x80) {
      if (bytes[place] !== code) return false;
      place += 1;
    } else if (code < 0x800) {
      if (bytes[place] !== (0xc0 | (code >> 6)) || bytes[place + 1] !== (0x80 | (code & 0x3f))) return false;
      place += 2;
    } else return false;
  }
  return place === end;
}
