import type { Cell } from "../../model/row.ts";
import { AmountScan, scanAmount } from "../amount/amount-scan.ts";
import { COMMA } from "../amount/decimal-mark.ts";
import { scanDate } from "../date/date.ts";
import { DateScan } from "../date/date-scan.ts";
import { trimSpaces } from "../spaces.ts";

/** Watches a text column for a type that its values might have. */
export interface TypedLook {
  /** Adds one cell that is not blank. */
  add(cell: Cell): void;
  /** False once further cells make no difference. */
  isOpen(): boolean;
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
  return {
    add(cell) {
      if (!mayBeDate && !mayBeAmount) return;
      const text = typeof cell === "string" ? trimSpaces(cell) : "";
      count++;
      mayBeDate = mayBeDate && text.includes("/") && scanDate(text, date) === undefined;
      if (!mayBeAmount) return;
      mayBeAmount = scanAmount(text, amount) === undefined;
      isMarked ||=
        mayBeAmount &&
        (amount.group !== 0 || amount.isAmbiguous() || (amount.mark !== -1 && amount.marks === COMMA));
    },
    isOpen: () => mayBeDate || mayBeAmount,
    verdict() {
      if (count === 0) return undefined;
      if (mayBeDate) return "date";
      return mayBeAmount && isMarked ? "amount" : undefined;
    },
  };
}
