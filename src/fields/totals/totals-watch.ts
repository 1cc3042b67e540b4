import type { Row } from "../../model/row.ts";
import { AmountScan } from "../amount/amount-scan.ts";
import { PlainTexts } from "../plain-texts.ts";
import { isBalance } from "./balance.ts";
import { RowsSoFar } from "./rows-so-far.ts";
import { SumsSoFar } from "./sums-so-far.ts";
import { countFilled, isFilled } from "./row-fill.ts";
import { isWords, type Suspicion } from "./suspicion.ts";
import { findHeading, isLoneRemark } from "./heading.ts";
import { holdsFigure, isNoKey, isSpecific, mayNameTotal, textAt } from "./row-text.ts";
import {
  isCarriedPhrase,
  isCountPhrase,
  isEverydayPhrase,
  isTotalPhrase,
  namesFigure,
  namesSum,
} from "./total-phrase.ts";
import { filledColumns, findFirstText, hasOwnData, hasSent, isAmount } from "./watched-cells.ts";
import type { WatchedColumns } from "./watched-columns.ts";

/** So many amounts do not add up to the next one by chance, even if all are round. */
const LONG_SUM = 6;

/**
 * Decides for each row of one input, at any position, whether it looks like a total. The amounts of a row have to be
 * added to the sums after the row is judged and before the next one is. Keeps no rows.
 */
export class TotalsWatch {
  #columns: WatchedColumns;
  readonly #scan = new AmountScan();
  readonly #sums: SumsSoFar;
  readonly #texts = new PlainTexts();
  readonly #rows = new RowsSoFar();
  #followsSuspect = false;
  #followsCarried = false;
  /** True if the last row is blank. */
  isBlank = false;
  /** The first text of the last row, if it is a total's phrase and the row has no key. */
  phrase: string | undefined;

  constructor(columns: WatchedColumns) {
    this.#columns = columns;
    this.#sums = new SumsSoFar(columns, this.#scan);
  }

  /** Takes the columns again once there are more of them. */
  grow(columns: WatchedColumns): void {
    this.#columns = columns;
    this.#sums.grow(columns);
  }

  /** Why the next row in file order looks like a total; `undefined` if it does not. */
  judge(row: Row): Suspicion | undefined {
    if (this.#followsSuspect) this.#sums.passSuspect();
    this.phrase = undefined;
    const { width, nullsAt } = this.#columns;
    // Between two rows of a CSV there can only be a blank line, a comment or a row that cannot be read.
    const { end } = this.#rows;
    const isAfterGap = end !== undefined && row.spans?.areRowsAdjacent === true && row.start !== end;
    this.#rows.end = row.end;
    const filled = countFilled(row, width, nullsAt);
    // A row with nothing to send separates rows as a blank one does: it may be the total of a column that is left out.
    const isGap = isAfterGap || filled === 0 || !hasSent(this.#columns, row);
    if (isGap) this.#sums.passBlank(isAfterGap);
    if ((this.isBlank = filled === 0)) return undefined;
    const suspicion = this.#suspect(row, filled);
    // It may come between the rows of a total.
    if (suspicion !== undefined && isWords(suspicion)) return suspicion;
    this.#followsSuspect = suspicion !== undefined;
    this.#followsCarried = suspicion?.kind === "phrase" && isCarriedPhrase(suspicion.phrase);
    if (suspicion === undefined) this.#rows.note(row, filled, this.#columns);
    else {
      this.#rows.suspects++;
      this.#sums.expectSuspect(this.#followsCarried);
    }
    return suspicion;
  }

  /** The rows so far, if plain ones may be noted there without being judged. */
  get rowsSoFar(): RowsSoFar | undefined {
    return this.#rows.count > 0 && !this.#followsSuspect ? this.#rows : undefined;
  }

  #suspect(row: Row, filled: number): Suspicion | undefined {
    const { key } = this.#columns;
    if (key !== undefined && isFilled(row, key, this.#columns.nullsAt[key]))
      return this.#suspectKey(row, filled, key);
    if (hasOwnData(this.#columns, row)) return undefined;
    const first = findFirstText(this.#columns, row, filled, this.#scan, this.#texts);
    if (first !== undefined && mayNameTotal(row, first)) {
      const phrase = textAt(row, first);
      if (this.#isNamedTotal(row, filled, first)) return { kind: "phrase", phrase };
      if (isTotalPhrase(phrase) && !isEverydayPhrase(phrase)) this.phrase = phrase;
    }
    if (filled === 1 && first !== undefined && isLoneRemark(this.#columns, this.#rows, row, first)) {
      return { kind: "remark", text: textAt(row, first) };
    }
    const words = findHeading(this.#columns, this.#rows, row, filled, this.#scan);
    if (words !== undefined) return { kind: "heading", words };
    const field = this.#holdsSum(row, filled);
    return field === undefined ? undefined : { kind: "sum", field };
  }

  #suspectKey(row: Row, filled: number, key: number): Suspicion | undefined {
    if (filled === 1 && !this.#mayBeKey(textAt(row, key))) {
      if (isLoneRemark(this.#columns, this.#rows, row, key))
        return { kind: "remark", text: textAt(row, key) };
      const words = findHeading(this.#columns, this.#rows, row, filled, this.#scan);
      if (words !== undefined) return { kind: "heading", words };
    }
    if (mayNameTotal(row, key)) {
      const text = textAt(row, key);
      if (this.#isNamedTotal(row, filled, key)) return { kind: "phrase", phrase: text };
      if (isTotalPhrase(text)) return undefined;
    }
    this.#rows.keysHoldFigures &&= holdsFigure(row, key) || isNoKey(textAt(row, key));
    return undefined;
  }

  /** False for several words, and for a word without digits where all keys hold some. */
  #mayBeKey(text: string): boolean {
    return !text.includes(" ") && !(this.#rows.count > 0 && this.#rows.keysHoldFigures && !/\d/.test(text));
  }

  #isNamedTotal(row: Row, filled: number, label: number): boolean {
    const text = textAt(row, label);
    if (isCountPhrase(text) && this.#isCount(row, filled, label)) return true;
    return isTotalPhrase(text) ? this.#isTotal(row, filled, label) : this.#isNamedSum(row, filled, label);
  }

  /** Whether a row whose column `label` names a number of rows (`Nb lignes`) holds only numbers beside it. */
  #isCount(row: Row, filled: number, label: number): boolean {
    if (hasOwnData(this.#columns, row)) return false;
    const others = filledColumns(this.#columns, row).filter((column) => column !== label);
    const areNumbers = others.length > 0 && others.every((column) => /^[\d\s.,]+$/.test(textAt(row, column)));
    return areNumbers && (this.#isHalf(filled) || this.#isUnlikeRows(row, label));
  }

  /** Whether a row whose column `label` begins with a total's phrase is a total. */
  #isTotal(row: Row, filled: number, label: number): boolean {
    if (hasOwnData(this.#columns, row)) return false;
    const others = filledColumns(this.#columns, row).filter((column) => column !== label);
    const amounts = others.filter((column) => isAmount(this.#columns, row, column, this.#scan));
    if (amounts.length === 0) return false;
    if (isEverydayPhrase(textAt(row, label))) return this.#isEverydayTotal(row, filled, label);
    if (this.#isHalf(filled) || this.#sums.find(row, 1) !== undefined) return true;
    if (isBalance(this.#columns, row, label, this.#scan)) return true;
    if (amounts.length < others.length) return false;
    // A key is one word at most.
    const mayBeKey = label === this.#columns.key && !textAt(row, label).includes(" ");
    return !mayBeKey || this.#isUnlikeRows(row, label);
  }

  /** Whether more than its word shows that a row is a total: its sum, its place (`Report` below `A reporter`), or the date that it lacks. */
  #isEverydayTotal(row: Row, filled: number, label: number): boolean {
    if (this.#sums.find(row, 2) !== undefined || this.#followsCarried || this.#isMisplaced(label))
      return true;
    const { count } = this.#rows;
    return count === 0
      ? this.#isHalf(filled)
      : this.#rows.leavesBlank(row, this.#columns.dates, this.#columns);
  }

  /** Whether a row whose column `label` names a group as `Total Dupont` does is its sum, even of a single row. */
  #isNamedSum(row: Row, filled: number, label: number): boolean {
    const text = textAt(row, label);
    const isFigure = namesFigure(text);
    if (!(isFigure || namesSum(text)) || hasOwnData(this.#columns, row)) return false;
    const others = filledColumns(this.#columns, row).filter((column) => column !== label);
    const isBare = others.every((column) => isAmount(this.#columns, row, column, this.#scan));
    const isAlone = isBare && others.length > 0;
    // Its sum may be of rows that cannot be read, or of some of them.
    if (isAlone && label !== this.#columns.key && this.#isNoRow(row, label)) return true;
    if (isFigure && isAlone && this.#isHalf(filled) && this.#isEmptier(row)) return true;
    // Nobody knows the sums of a column of whole numbers that is sent as it is.
    const isUnknown = isAlone && !others.some((column) => this.#sums.isOpen(column));
    if (isUnknown && (this.#rows.suspects > 0 ? this.#isUnlikeRows(row, label) : this.#isEmptier(row)))
      return true;
    if (this.#isHalf(filled) || (isBare && this.#isUnlikeRows(row, label)))
      return (
        this.#sums.find(row, isBare ? 1 : 2) !== undefined || this.#sums.find(row, 2, true) !== undefined
      );
    const isTold = this.#rows.suspects > 0 || this.#sums.count(row) > 1;
    return isBare && this.#sums.find(row, 1) !== undefined && (isTold || isSpecific(this.#scan));
  }

  /** True for a row without the date or number that all others have, and for a word where these begin with a number. */
  #isNoRow(row: Row, label: number): boolean {
    const { areNumbered, count } = this.#rows;
    if (count < 2) return false;
    return (label === 0 && areNumbered) || this.#rows.lacksOwnData(row, this.#columns);
  }

  /** True for a word among keys with digits, or in a column of digits or dates. */
  #isMisplaced(label: number): boolean {
    const { key, dates, digits } = this.#columns;
    const isNoKey = label === key && this.#rows.count > 0 && this.#rows.keysHoldFigures;
    return isNoKey || dates.includes(label) || digits.includes(label);
  }

  /** The same, and after a total, and if a column is blank that all other rows fill. */
  #isUnlikeRows(row: Row, label: number): boolean {
    return this.#followsSuspect || this.#isMisplaced(label) || this.#isEmptier(row);
  }

  /** The field that holds a sum in a row with little else. */
  #holdsSum(row: Row, filled: number): string | undefined {
    if (this.#rows.count === 0) return undefined;
    // A row may repeat the amount of a single row above for many reasons, unless it holds only amounts.
    const isFull = filled === this.#columns.width;
    const columns = !isFull && this.#isEmptier(row) ? filledColumns(this.#columns, row) : [];
    const watched = columns.filter((column) => this.#sums.isOpen(column));
    const isBare = columns.length > 0 && watched.length === columns.length;
    if (!this.#isHalf(filled)) {
      if (watched.length === 0) return undefined;
      // The sums of a column that is left out, or sent as it is, are not known.
      const isOnlyAmounts = columns.every(
        (column) => this.#sums.isOpen(column) || isAmount(this.#columns, row, column, this.#scan),
      );
      const field =
        isOnlyAmounts && this.#sums.count(row) === watched.length ? this.#sums.find(row, 2) : undefined;
      return watched.length > 1 || this.#rows.suspects > 0 || isSpecific(this.#scan) ? field : undefined;
    }
    const field = this.#sums.find(row, 2);
    if (field !== undefined) {
      // A row unlike the others, one below other totals, a specific amount or the sum of many is evidence enough. Otherwise one
      // round amount may equal a sum by chance, but two do not.
      const isUnlike =
        filled < this.#rows.least ||
        3 * filled * this.#rows.count <= this.#rows.cells ||
        this.#isEmptier(row);
      const isLong = this.#sums.find(row, LONG_SUM) !== undefined;
      const isTold = isUnlike || isLong || this.#rows.suspects > 1 || isSpecific(this.#scan);
      return isTold || this.#sums.count(row) > 1 ? field : undefined;
    }
    const labels = columns.filter((column) => !isAmount(this.#columns, row, column, this.#scan));
    const isAlike = this.#rows.suspects > 0 && (isBare || (labels.length === 1 && columns.length > 1));
    const single = isBare || isAlike ? this.#sums.find(row, 1) : undefined;
    return single !== undefined && (isAlike || isSpecific(this.#scan)) ? single : undefined;
  }

  #isHalf(filled: number): boolean {
    return 2 * filled <= this.#columns.width;
  }

  #isEmptier(row: Row): boolean {
    return this.#rows.isEmptier(row, this.#columns);
  }
}
