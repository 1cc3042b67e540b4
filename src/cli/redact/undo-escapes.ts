import { BACKSLASH, REPEATED_NOTATIONS, type Notation } from "./notations.ts";
import { FIRST_BYTE, type PlacedText } from "./placed-text.ts";

const FIRST_BEYOND_BMP = 0x10000;
const FIRST_CONTINUATION = 0x80;
const FIRST_LEAD = 0xc2;
const MOST_BYTES = 4;
const NO_UNIT = -1;

/** How escapes are undone. */
export interface Undoing {
  readonly notations: readonly Notation[];
  /** What an escape stands for may be part of another escape. */
  readonly again?: boolean;
  /** True for an escape that is to be left as it is: it ends `units` before `end`, and `next` follows. */
  readonly isSpared?: ((units: Int32Array, end: number, taken: number, next: number) => boolean) | undefined;
}

/** Undoes escapes from left to right in one pass. Returns the same object if there are none. */
export function undoEscapes(text: PlacedText, undoing: Undoing): PlacedText {
  const stack = new EscapeStack(text.length, undoing);
  let isChanged = false;
  for (let at = 0; at < text.length; at++) {
    stack.push(text.units[at]!, text.starts[at]!, text.ends[at]!);
    while (stack.undo(text.units[at + 1] ?? NO_UNIT)) isChanged = true;
  }
  return isChanged ? stack : text;
}

/**
 * Undoes all escapes, however deeply nested, and drops the backslashes that are left. All ways of writing a text become
 * equal, and so may a few other texts.
 */
export function undoAllEscapes(text: PlacedText, isSpared?: Undoing["isSpared"]): PlacedText {
  const undone = undoEscapes(text, { notations: REPEATED_NOTATIONS, again: true, isSpared });
  if (!undone.units.subarray(0, undone.length).includes(BACKSLASH)) return undone;
  const kept = new EscapeStack(undone.length, { notations: [] });
  for (let at = 0; at < undone.length; at++) {
    if (undone.units[at] !== BACKSLASH) kept.push(undone.units[at]!, undone.starts[at]!, undone.ends[at]!);
  }
  return kept;
}

/** The text read so far. A decoded escape replaces its own characters, so the result is never longer than the text. */
class EscapeStack implements PlacedText {
  length = 0;
  readonly units: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Units before this one do not belong to any further escape. */
  #floor = 0;
  readonly #undoing: Undoing;

  constructor(capacity: number, undoing: Undoing) {
    this.#undoing = undoing;
    this.units = new Int32Array(capacity);
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
  }

  push(unit: number, start: number, end: number): void {
    this.units[this.length] = unit;
    this.starts[this.length] = start;
    this.ends[this.length] = end;
    this.length++;
  }

  /** Undoes the escape at the end, given the unit that comes next; false if there is none. */
  undo(next: number): boolean {
    const { notations, again, isSpared } = this.#undoing;
    for (const read of notations) {
      const escape = read(this.units, this.#floor, this.length);
      if (escape === undefined) continue;
      if (isSpared?.(this.units, this.length, escape.taken, next) === true) return false;
      this.#replace(escape.taken, escape.code);
      if (escape.code >= FIRST_BYTE) this.#joinBytes();
      if (again !== true) this.#floor = this.length;
      return true;
    }
    return false;
  }

  #replace(taken: number, code: number): void {
    const start = this.starts[this.length - taken]!;
    const end = this.ends[this.length - 1]!;
    this.length -= taken;
    if (code < FIRST_BEYOND_BMP || code >= FIRST_BYTE) this.push(code, start, end);
    else for (const unit of String.fromCodePoint(code).split("")) this.push(unit.charCodeAt(0), start, end);
  }

  /** Turns the bytes at the end into a character, if they are one in UTF-8. */
  #joinBytes(): void {
    for (let count = 1; count <= Math.min(MOST_BYTES, this.length); count++) {
      const byte = this.units[this.length - count]! - FIRST_BYTE;
      if (byte < FIRST_CONTINUATION) return;
      if (byte < FIRST_LEAD) continue;
      // A buffer keeps the last eight bits of each unit, which are the byte.
      const bytes = this.units.subarray(this.length - count, this.length);
      const [code, ...others] = Array.from(Buffer.from(bytes).toString(), (text) => text.codePointAt(0)!);
      if (others.length === 0 && code !== 0xfffd) this.#replace(count, code!);
      return;
    }
  }
}
