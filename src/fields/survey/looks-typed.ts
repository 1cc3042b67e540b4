import type { Cell } from "../../model/row.ts";
import { AmountScan, scanAmount } from "../amount/amount-scan.ts";
import { PlainAmount } from "../amount/plain-amount.ts";
import { COMMA } from "../amount/decimal-mark.ts";
import { scanDate } from "../date/date.ts";
import { DateScan } from "../date/date-scan.ts";
import { KnownDates } from "../date/known-dates.ts";
import { trimSpaces } from "../spaces.ts";

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
