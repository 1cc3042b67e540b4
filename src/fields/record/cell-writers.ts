import { SHORT_ESCAPES } from "../../model/json-number.ts";
import type { AmountRules } from "../amount/amount-evidence.ts";
import { COMMA, DOT, isWhole, mayGroup, spaceAt } from "../amount/plain-amount.ts";
import { DATE_BYTES, DATE_FORMS, dateFormOf, KnownDates } from "../date/seen-dates.ts";
import type { ExaminedField } from "./examined-field.ts";
import type { FieldSpec } from "./field-plan.ts";

/**
 * Writes the wire value of the cell from `start` to `end`, which is not empty, as JSON text without quotes to `target`
 * at `at`; returns the position after it, or {@link CLOSER_LOOK}. It writes the same value as the field's reader, which
 * tests prove.
 */
export type WriteCell = (bytes: Buffer, start: number, end: number, target: Buffer, at: number) => number;

/** The cell needs a closer look. */
export const CLOSER_LOOK = -1;

/** Maximum number of bytes by which a written value, without escapes, is longer than its cell, if it is not padded to a scale. */
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
/** By character: what follows the backslash in its short escape; 0 for those that have none. */
const ESCAPE_LETTERS = new Uint8Array(BACKSLASH + 1);
for (const [character, letter] of SHORT_ESCAPES)
  ESCAPE_LETTERS[character.charCodeAt(0)] = letter.charCodeAt(0);

/**
 * How the cells of a field are written; `undefined` if they always need a closer look. `number` is a JSON number as the
 * file writes it, without exponent.
 */
export function cellWriter(
  spec: FieldSpec,
  field: Pick<ExaminedField, "nulls" | "isChecked" | "take">,
  what: "text" | "number" = "text",
): WriteCell | undefined {
  if (field.isChecked) return undefined;
  const write = what === "text" ? writerOf(spec, field) : numberWriterOf(spec);
  if (write === undefined) return undefined;
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

/** The decimal mark of a JSON number is the point. Words such as `true` need a closer look. */
function numberWriterOf(spec: FieldSpec): WriteCell | undefined {
  if (spec.kind === "amount") return amountWriter({ ...spec, marks: DOT });
  return spec.kind === "date" ? undefined : writeDigits;
}

/** By how many bytes a value without escapes may be longer than its cell. */
export function mostAdded(spec: FieldSpec): number {
  return MOST_ADDED + (spec.kind === "amount" ? (spec.scale ?? 0) : 0);
}

// Control characters without a short escape need a closer look; bytes beyond ASCII are valid UTF-8 and stay as they are.
function writeText(bytes: Buffer, start: number, end: number, target: Buffer, at: number): number {
  let to = at;
  for (let from = start; from < end; from++) {
    const code = bytes[from]!;
    if (code >= SPACE && code !== QUOTE && code !== BACKSLASH) {
      target[to++] = code;
      continue;
    }
    const letter = ESCAPE_LETTERS[code]!;
    if (letter === 0) return CLOSER_LOOK;
    target[to++] = BACKSLASH;
    target[to++] = letter;
  }
  return to;
}

/**
 * Writes ASCII that contains a digit, so that it is neither a word for "no value" nor an error marker; but not a number
 * with an exponent, whose last digits are lost.
 */
export function writeKey(bytes: Buffer, start: number, end: number, target: Buffer, at: number): number {
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

/** Writes ASCII digits. */
export function writeDigits(bytes: Buffer, start: number, end: number, target: Buffer, at: number): number {
  let to = at;
  for (let from = start; from < end; from++) {
    const code = bytes[from]!;
    if (!isDigit(code)) return CLOSER_LOOK;
    target[to++] = code;
  }
  return to;
}

/** Dates such as `31/12/2024` and `2024-12-31T08:30:00`: each is read once, and later recognised by its digits. */
function dateWriter(take: ExaminedField["take"]): WriteCell {
  const known = new KnownDates();
  return (bytes, start, end, target, at) => {
    if (dateFormOf(bytes, start, end) === DATE_FORMS.other) return CLOSER_LOOK;
    const code = known.codeOf(bytes, start, start + DATE_BYTES);
    if (code < 0) return CLOSER_LOOK;
    if (known.write(code, target, at)) return at + DATE_BYTES;
    const date = take(bytes.toString("latin1", start, end), 0);
    if (typeof date !== "string" || date.length !== DATE_BYTES) return CLOSER_LOOK;
    known.add(code, date);
    return at + target.write(date, at, "latin1");
  };
}

/**
 * Amounts without currency: digits, either ungrouped or one to three followed by groups of three after one kind of
 * space, and decimals.
 */
function amountWriter({ marks, scale }: AmountRules): WriteCell {
  return (bytes, start, end, target, at) => {
    const isNegative = bytes[start] === MINUS;
    if (isNegative) target[at] = MINUS;
    const first = isNegative ? start + 1 : start;
    const whole = isNegative ? at + 1 : at;
    let to = whole;
    let isZero = true;
    let hasMark = false;
    /** Bytes of the space that groups; 0 if there is none. */
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
        if (!mayGroup(space, group, bytes[first]!, run)) return CLOSER_LOOK;
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

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
