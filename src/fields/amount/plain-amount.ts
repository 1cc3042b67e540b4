const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const POINT = 0x2e;
const COMMA_SIGN = 0x2c;
/** A number with at most this many digits is exact as a float. */
const MOST_DIGITS = 15;
const GROUP_DIGITS = 3;
/** The bit of a form that says that digits are grouped. */
const GROUPED = 2;

/**
 * An amount read from its bytes: digits, perhaps grouped by one kind of space, with at most one mark, which must be
 * certain.
 */
export class PlainAmount {
  /** How many values {@link PlainAmount.form} has. */
  static readonly FORMS = 12;
  /** The amount without its mark, as a whole number. */
  units = 0;
  decimals = 0;
  /**
   * A number for what the way of writing says about other amounts: its mark, and whether it groups or has many digits.
   */
  form = 0;

  /** Its decimal mark; 0 if there is none. */
  get mark(): number {
    return this.form >> 2;
  }

  /** True if a space groups its digits. */
  get isGrouped(): boolean {
    return (this.form & GROUPED) !== 0;
  }

  /** False if the bytes, of which there is at least one, need a closer look. */
  scan(bytes: Buffer, start: number, end: number): boolean {
    const isNegative = bytes[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    let units = 0;
    let digits = 0;
    let group = 0;
    let run = 0;
    let mark = 0;
    let whole = 0;
    for (let at = first; at < end; at++) {
      const code = bytes[at]!;
      if (code >= ZERO && code <= NINE) {
        units = units * 10 + code - ZERO;
        digits++;
        run++;
      } else if (mark !== 0) return false;
      else if (code === POINT || code === COMMA_SIGN) {
        if (!isWhole(group, run)) return false;
        mark = code === POINT ? DOT : COMMA;
        whole = digits;
        run = 0;
      } else {
        const space = spaceAt(bytes, at, end);
        if (!mayGroup(space, group, bytes[first]!, run)) return false;
        group = space;
        run = 0;
        at += space - 1;
      }
    }
    if (digits > MOST_DIGITS || (mark === 0 ? !isWhole(group, run) : run === 0)) return false;
    // A lone mark before three digits may group them.
    if (mark !== 0 && group === 0 && run === GROUP_DIGITS && whole <= GROUP_DIGITS) return false;
    if (mark === 0) whole = digits;
    this.units = isNegative ? -units : units;
    this.decimals = mark === 0 ? 0 : run;
    this.form = mark * 4 + (group !== 0 ? GROUPED : whole > GROUP_DIGITS ? 1 : 0);
    return true;
  }
}

/** True if this many digits since the last space may come before a mark or the end; `group`: the bytes of that space. */
export function isWhole(group: number, run: number): boolean {
  return group === 0 ? run > 0 : run === GROUP_DIGITS;
}

/**
 * True if a space of this many bytes may group the digits after it; `run`: the digits before it; `group`: as for {@link
 * isWhole}.
 */
export function mayGroup(space: number, group: number, first: number, run: number): boolean {
  if (space === 0) return false;
  if (group !== 0) return run === GROUP_DIGITS && space === group;
  // A single 0 is not a first group.
  return run >= 1 && run <= GROUP_DIGITS && !(run === 1 && first === ZERO);
}

/** Number of bytes of the space that may group digits: plain 1, no-break 2, narrow no-break 3; 0 for anything else. */
export function spaceAt(bytes: Buffer, at: number, end: number): number {
  const code = bytes[at]!;
  if (code === SPACE) return 1;
  if (code === 0xc2) return at + 1 < end && bytes[at + 1] === 0xa0 ? 2 : 0;
  return code === 0xe2 && at + 2 < end && bytes[at + 1] === 0x80 && bytes[at + 2] === 0xaf ? 3 : 0;
}

/** The dot separates whole from decimals: one bit of a set of marks. */
export const DOT = 1;
/** The comma does. */
export const COMMA = 2;
export const ANY_MARK = DOT | COMMA;
export const MARKS = [DOT, COMMA] as const;

/** The bit of a pinned mark. */
export function markBit(mark: "." | ","): number {
  return mark === "." ? DOT : COMMA;
}

/** The character of a mark. */
export function markSign(mark: number): "." | "," {
  return mark === DOT ? "." : ",";
}

/** `decimal point` or `decimal comma`. */
export function markName(mark: number): string {
  return mark === DOT ? "decimal point" : "decimal comma";
}

/** True for a set of exactly one mark. */
export function isSingleMark(marks: number): boolean {
  return marks === DOT || marks === COMMA;
}
