import { JsonNumber, type Cell } from "../../model/row.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { PlainAmount } from "../amount/plain-amount.ts";
import { ANY_MARK } from "../amount/decimal-mark.ts";
import { isBlank } from "../spaces.ts";
import type { SumSoFar } from "../totals/watched-columns.ts";
import { takePlainAmounts } from "./plain-cells.ts";

/** The sum of a text column as long as all its cells are amounts: numbers that a record has as the file writes them. */
export class TextSum implements SumSoFar {
  readonly #evidence: AmountEvidence;
  readonly #takePlain: ReturnType<typeof takePlainAmounts>;
  /** By form of plain amounts: 1 for those that were added from their bytes. */
  readonly known: Uint8Array = new Uint8Array(PlainAmount.FORMS);
  /** True if a number of JSON has decimals. */
  hasDecimals = false;
  #hasOthers = false;

  constructor(field: string) {
    this.#evidence = new AmountEvidence(ANY_MARK, undefined, field);
    this.#takePlain = takePlainAmounts(this.#evidence, this.known);
  }

  /** True once it is certain that there is none: nothing is added any more. */
  get isClosed(): boolean {
    return this.#hasOthers;
  }

  get sum(): AmountEvidence["sum"] {
    return this.#evidence.sum;
  }

  /** Whole numbers alone may be of any kind, and small ones add up by chance. */
  get marks(): number {
    const { marks } = this.#evidence;
    return this.#hasOthers || (marks === ANY_MARK && !this.hasDecimals) ? 0 : marks;
  }

  get pinned(): number {
    return this.#evidence.pinned;
  }

  /** Adds a cell. */
  add(cell: Cell, line: number): void {
    if (this.#hasOthers || (typeof cell === "string" && isBlank(cell))) return;
    if (this.#evidence.add(cell, line) !== undefined) this.#hasOthers = true;
    else if (cell instanceof JsonNumber) this.hasDecimals ||= cell.source.includes(".");
  }

  /** Adds a cell from its bytes, which are its text in UTF-8. */
  addBytes(bytes: Buffer, start: number, end: number, line: number): void {
    if (this.#hasOthers || this.#takePlain(bytes, start, end, line)) return;
    this.add(bytes.toString("utf8", start, end), line);
  }
}
