import type { Cell } from "../../model/problem-groups.ts";
import { AmountScan, COMMA, scanAmount } from "../amount/amount-scan.ts";
import { scanDate } from "../date/date.ts";
import { DateScan } from "../date/short-years.ts";
import { trimSpaces } from "../spreadsheet-text.ts";

/** Watches a text column for a type that its values might have. */
export interface TypedLook {
  /** Adds one cell that is not blank. */
  add(cell: Cell): void;
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

  return {
    get isClosed() {
      return !mayBeDate && !mayBeAmount;
    },
    add: (cell) => add(typeof cell === "string" ? trimSpaces(cell) : ""),
    verdict() {
      if (count === 0) return undefined;
      if (mayBeDate) return "date";
      return mayBeAmount && isMarked ? "amount" : undefined;
    },
  };
}
