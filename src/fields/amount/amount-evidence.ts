import type { Cell } from "../../model/row.ts";
import { AmountScan } from "./amount-scan.ts";
import { AmountSum, subtract, type Decimal } from "./amount-sum.ts";
import { checkScale, scanAmountCell, writeAmount } from "./amount.ts";
import { ANY_MARK, COMMA, DOT, MARKS } from "./decimal-mark.ts";
import { GroupEvidence } from "./group-evidence.ts";
import type { Evidence } from "../survey/evidence.ts";
import { isEarlier, type Example } from "../survey/example.ts";
import type { Unreadable } from "../value.ts";

/**
 * Evidence from a column of amounts about its decimal mark, its grouping and its currency, in memory bounded by the
 * number of currencies; the order of the cells does not matter.
 */
export class AmountEvidence implements Evidence {
  /** The pinned mark as a set; both marks if none is pinned. */
  readonly pinned: number;
  readonly scale: number | undefined;
  /** The marks that every cell so far leaves open. */
  marks = ANY_MARK;
  readonly groups = new GroupEvidence();
  /** The first cell of each currency. */
  readonly currencies = new Map<string, Example>();
  /** The sum of its amounts: a last row that holds this sum is a total. */
  readonly sum = new AmountSum();
  /** The part of {@link sum} that belongs to rows without a record. */
  readonly #leftOut = new AmountSum();
  readonly #field: string | undefined;
  readonly #scan = new AmountScan();
  /** The first cell that excludes a mark, by its bit. */
  readonly #excluding: (Example | undefined)[] = [];
  /** The first ambiguous cell with too many decimals under a mark, by the mark's bit. */
  readonly #tooFine: (Example | undefined)[] = [];

  constructor(pinned: number, scale: number | undefined, field: string | undefined) {
    this.pinned = pinned;
    this.scale = scale;
    this.#field = field;
  }

  add(cell: Cell, line: number): Unreadable | undefined {
    const scan = this.#scan;
    const unreadable = scanAmountCell(cell, scan) ?? this.#check(scan);
    if (unreadable !== undefined) return unreadable;
    this.sum.add(scan);
    if (scan.currency !== "" && isEarlier(line, scan.text, this.currencies.get(scan.currency))) {
      this.currencies.set(scan.currency, { line, value: scan.text });
    }
    if (scan.isExact) return undefined;
    this.groups.add(scan, line);
    if (scan.marks !== ANY_MARK) {
      this.marks &= scan.marks;
      const excluded = ANY_MARK & ~scan.marks;
      if (isEarlier(line, scan.text, this.#excluding[excluded]))
        this.#excluding[excluded] = { line, value: scan.text };
    } else if (scan.isAmbiguous()) this.#addTooFine(scan, line);
    return undefined;
  }

  /** Takes a cell that was added out of {@link recordSum}, because its row gives no record. */
  leaveOut(cell: Cell): void {
    const scan = this.#scan;
    if ((scanAmountCell(cell, scan) ?? this.#check(scan)) === undefined) this.#leftOut.add(scan);
  }

  /** The sum of the amounts in records under the settled marks; `undefined` if it was not kept. */
  recordSum(marks: number): Decimal | undefined {
    const mark = marks === COMMA ? COMMA : DOT;
    const [all, leftOut] = [this.sum.total(mark), this.#leftOut.total(mark)];
    return all && leftOut && subtract(all, leftOut);
  }

  /** The first cell that excludes a mark. */
  excluding(mark: number): Example | undefined {
    return this.#excluding[mark];
  }

  /** The first cell that the scale refuses once this mark is settled, although it could be read with another mark. */
  tooFine(mark: number): Example | undefined {
    return this.#tooFine[mark];
  }

  /** Refuses what cannot be read within the scale with any mark, or with the pinned one. */
  #check(scan: AmountScan): Unreadable | undefined {
    const isOpen = this.pinned === ANY_MARK && !scan.isExact;
    const marks = isOpen ? scan.marks : scan.isExact ? DOT : scan.marks & this.pinned;
    if (marks === 0) {
      const refused = writeAmount(scan, { marks: this.pinned, scale: undefined, field: this.#field });
      return typeof refused === "string" ? undefined : refused;
    }
    if (this.scale === undefined) return undefined;
    const underDot = (marks & DOT) === 0 ? undefined : checkScale(scan, DOT, this.scale, this.#field);
    const underComma = (marks & COMMA) === 0 ? undefined : checkScale(scan, COMMA, this.scale, this.#field);
    if (marks === ANY_MARK) return underDot === undefined ? undefined : underComma;
    return underDot ?? underComma;
  }

  #addTooFine(scan: AmountScan, line: number): void {
    if (this.scale === undefined || this.pinned !== ANY_MARK) return;
    for (const mark of MARKS) {
      if (checkScale(scan, mark, this.scale, undefined) === undefined) continue;
      if (isEarlier(line, scan.text, this.#tooFine[mark])) this.#tooFine[mark] = { line, value: scan.text };
    }
  }
}
