import { DATE_BYTES, KnownDates, pairAt } from "./known-dates.ts";

/** How a date of ten bytes stands in its cell; bits, as in `assembly/cells.ts`. */
export const DATE_FORMS = { other: 0, alone: 1, atMidnight: 2, timed: 4 } as const;
type DateForm = (typeof DATE_FORMS)[keyof typeof DATE_FORMS];

/** `T08:30:00`, or a space in place of the letter. */
const CLOCK_BYTES = 9;
const COLON = 0x3a;
const SPACE = 0x20;
const T = 0x54;

/** How the date of a cell stands in it: alone, or before a clock without a zone; `other` for anything else. */
export function dateFormOf(bytes: Buffer, start: number, end: number): DateForm {
  if (end - start === DATE_BYTES) return DATE_FORMS.alone;
  const at = start + DATE_BYTES;
  if (end - at !== CLOCK_BYTES || (bytes[at] !== T && bytes[at] !== SPACE)) return DATE_FORMS.other;
  if (bytes[at + 3] !== COLON || bytes[at + 6] !== COLON) return DATE_FORMS.other;
  const hour = pairAt(bytes, at + 1);
  const minute = pairAt(bytes, at + 4);
  const second = pairAt(bytes, at + 7);
  if (Math.min(hour, minute, second) < 0 || hour > 23 || minute > 59 || second > 59) return DATE_FORMS.other;
  return hour + minute + second === 0 ? DATE_FORMS.atMidnight : DATE_FORMS.timed;
}

/**
 * The dates of a column that came before: another cell with one of them in the same form is no new evidence. Any clock is like any
 * other once the first that is not midnight has come; midnight is like any of them.
 */
export class SeenDates {
  readonly #alone = new KnownDates();
  readonly #atMidnight = new KnownDates();
  readonly #timed = new KnownDates();

  /** True for a date that came before in its form. */
  has(code: number, form: DateForm): boolean {
    if (form === DATE_FORMS.alone) return this.#alone.has(code);
    return this.#timed.has(code) || (form === DATE_FORMS.atMidnight && this.#atMidnight.has(code));
  }

  /** Remembers a date whose cell was added. */
  add(code: number, form: DateForm): void {
    const { alone, atMidnight } = DATE_FORMS;
    const known = form === alone ? this.#alone : form === atMidnight ? this.#atMidnight : this.#timed;
    known.add(code);
  }

  /** A number for the date of a cell in one of the forms; -1 for anything else. */
  codeOf(bytes: Buffer, start: number, form: DateForm): number {
    return form === DATE_FORMS.other ? -1 : this.#alone.codeOf(bytes, start, start + DATE_BYTES);
  }
}
