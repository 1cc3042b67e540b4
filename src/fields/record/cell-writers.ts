import { COMMA, DOT } from "../amount/decimal-mark.ts";
import type { ExaminedField } from "./examine-row.ts";
import type { FieldSpec } from "./field-plan.ts";
import type { AmountRules } from "../amount/amount.ts";

/**
 * Writes the wire value of the cell from `start` up to `end`, which is not empty, as JSON text without quotes to
 * `target`, from `at` on; returns the position after it, or {@link CLOSER_LOOK}. It writes the same value as the
 * field's reader gives, as tests prove.
 */
export type WriteCell = (bytes: Buffer, start: number, end: number, target: Buffer, at: number) => number;

/** The cell needs a closer look. */
export const CLOSER_LOOK = -1;

/** Maximum number of bytes that a written value has more than its cell, if no scale pads it. */
const MOST_ADDED = 12;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const APOSTROPHE = 0x27;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const POINT = 0x2e;
const COMMA_SIGN = 0x2c;
const DELETE = 0x7f;

/** How the cells of a field are written; `undefined` if they always need a closer look. */
export function cellWriter(
  spec: FieldSpec,
  field: Pick<ExaminedField, "nulls" | "isChecked" | "take">,
): WriteCell | undefined {
  if (field.isChecked) return undefined;
  const write = writerOf(spec, field);
  if (field.nulls.isEmpty) return write;
  const { firstBytes } = field.nulls;
  return (bytes, start, end, target, at) =>
    firstBytes[bytes[start]!] === 0 ? write(bytes, start, end, target, at) : CLOSER_LOOK;
}

function writerOf(spec: FieldSpec, field: Pick<ExaminedField, "take">): WriteCell {
  switch (spec.kind) {
    case "text":
      return writeText;
    case "key":
      return writeKey;
    case "digits":
      return writeDigits;
    case "date":
      return dateWriter(field.take);
    case "amount":
      return amountWriter(spec);
  }
}

/** How many bytes a value may have more than its cell. */
export function mostAdded(spec: FieldSpec): number {
  return MOST_ADDED + (spec.kind === "amount" ? (spec.scale ?? 0) : 0);
}

// Characters that JSON escapes need a closer look; bytes beyond ASCII are valid UTF-8 and stay as they are.
function writeText(bytes: Buffer, start: number, end: number, target: Buffer, at: number): number {
  let to = at;
  for (let from = start; from < end; from++) {
    const code = bytes[from]!;
    if (code < SPACE || code === QUOTE || code === BACKSLASH) return CLOSER_LOOK;
    target[to++] = code;
  }
  return to;
}

/**
 * Writes ASCII with a digit in it, which is neither a word for no value nor a sign of damage; but no number with an
 * exponent, whose last digits are lost.
 */
function writeKey(bytes: Buffer, start: number, end: number, target: Buffer, at: number): number {
  const first = bytes[start]!;
  if (first === 0x3d || first === 0x23 || first === APOSTROPHE) return CLOSER_LOOK;
  const mayBeNumber = isDigit(first) || first === 0x2b || first === MINUS;
  let hasDigit = false;
  let to = at;
  for (let from = start; from < end; from++) {
    const code = bytes[from]!;
    if (code <= SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) return CLOSER_LOOK;
    if (isDigit(code)) hasDigit = true;
    else if (mayBeNumber && (code | 0x20) === 0x65) return CLOSER_LOOK;
    target[to++] = code;
  }
  return hasDigit ? to : CLOSER_LOOK;
}

function writeDigits(bytes: Buffer, start: number, end: number, target: Buffer, at: number): number {
  let to = at;
  for (let from = start; from < end; from++) {
    const code = bytes[from]!;
    if (!isDigit(code)) return CLOSER_LOOK;
    target[to++] = code;
  }
  return to;
}

/** The days of ten years, in each of their forms. */
const MOST_KNOWN = 16_384;
const DATE_BYTES = 10;
const EIGHT_DIGITS = 100_000_000;

/** Dates such as `31/12/2024` and `2024-12-31`: each is read once and then known by its digits. */
function dateWriter(take: ExaminedField["take"]): WriteCell {
  const known = new Map<number, Uint8Array>();

  function learn(code: number, cell: string): Uint8Array | undefined {
    const date = take(cell, 0);
    if (typeof date !== "string" || date.length !== DATE_BYTES || known.size >= MOST_KNOWN) return undefined;
    const written = Buffer.from(date);
    known.set(code, written);
    return written;
  }

  return (bytes, start, end, target, at) => {
    if (end - start !== DATE_BYTES) return CLOSER_LOOK;
    const code = dateCode(bytes, start);
    if (code < 0) return CLOSER_LOOK;
    const written = known.get(code) ?? learn(code, bytes.toString("latin1", start, end));
    if (written === undefined) return CLOSER_LOOK;
    for (let from = 0; from < DATE_BYTES; from++) target[at + from] = written[from]!;
    return at + DATE_BYTES;
  };
}

/** A number for each way to write eight digits with two equal signs between them: 2, 2, 4 or 4, 2, 2; else -1. */
function dateCode(bytes: Buffer, start: number): number {
  const isYearLast = !isDigit(bytes[start + 2]!);
  const first = start + (isYearLast ? 2 : 4);
  const second = start + (isYearLast ? 5 : 7);
  const sign = bytes[first]!;
  // - . / are neighbours.
  if (sign < MINUS || sign > 0x2f || bytes[second] !== sign) return -1;
  let digits = 0;
  for (let at = start; at < start + DATE_BYTES; at++) {
    if (at === first || at === second) continue;
    const code = bytes[at]!;
    if (!isDigit(code)) return -1;
    digits = digits * 10 + code - ZERO;
  }
  return digits + EIGHT_DIGITS * (2 * (sign - MINUS) + (isYearLast ? 1 : 0));
}

/** Amounts without currency: digits, or one to three and groups of three after one kind of space, and decimals. */
function amountWriter({ marks, scale }: AmountRules): WriteCell {
  return (bytes, start, end, target, at) => {
    const isNegative = bytes[start] === MINUS;
    if (isNegative) target[at] = MINUS;
    const first = isNegative ? start + 1 : start;
    const whole = isNegative ? at + 1 : at;
    let to = whole;
    let isZero = true;
    let hasMark = false;
    /** Bytes of the space that groups; 0 without one. */
    let group = 0;
    /** Digits since the last space or mark. */
    let run = 0;
    for (let from = first; from < end; from++) {
      const code = bytes[from]!;
      if (isDigit(code)) {
        if (to === whole + 1 && target[whole] === ZERO) to = whole;
        target[to++] = code;
        run += 1;
        if (code !== ZERO) isZero = false;
      } else if (hasMark) return CLOSER_LOOK;
      else if (code === POINT || code === COMMA_SIGN) {
        if (marks !== (code === POINT ? DOT : COMMA) || !isWhole(group, run)) return CLOSER_LOOK;
        target[to++] = POINT;
        hasMark = true;
        run = 0;
      } else {
        const space = spaceAt(bytes, from, end);
        const mayFollow = group === 0 ? isFirstGroup(bytes[first]!, run) : run === 3 && space === group;
        if (space === 0 || !mayFollow) return CLOSER_LOOK;
        group = space;
        run = 0;
        from += space - 1;
      }
    }
    if (hasMark ? run === 0 : !isWhole(group, run)) return CLOSER_LOOK;
    if (isNegative && isZero) return CLOSER_LOOK;
    const decimals = hasMark ? run : 0;
    if (scale === undefined || decimals === scale) return to;
    if (decimals > scale) return CLOSER_LOOK;
    if (decimals === 0) target[to++] = POINT;
    for (let count = decimals; count < scale; count++) target[to++] = ZERO;
    return to;
  };
}

/** True for the digits before a mark or the end. */
function isWhole(group: number, run: number): boolean {
  return group === 0 ? run > 0 : run === 3;
}

/** A lonely 0 is none. */
function isFirstGroup(first: number, run: number): boolean {
  return run >= 1 && run <= 3 && !(run === 1 && first === ZERO);
}

/** Bytes of the space that may group digits: plain 1, no-break 2, narrow no-break 3; 0 for anything else. */
function spaceAt(bytes: Buffer, at: number, end: number): number {
  const code = bytes[at]!;
  if (code === SPACE) return 1;
  if (code === 0xc2) return at + 1 < end && bytes[at + 1] === 0xa0 ? 2 : 0;
  return code === 0xe2 && at + 2 < end && bytes[at + 1] === 0x80 && bytes[at + 2] === 0xaf ? 3 : 0;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
