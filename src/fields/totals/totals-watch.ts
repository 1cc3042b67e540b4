import { cellOf, type Row } from "../../model/problem-groups.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import { AmountScan } from "../amount/amount-scan.ts";
import { PlainTexts } from "../plain-texts.ts";
import { ColumnSums } from "./column-sums.ts";
import { isLikelyRemark, isRemark } from "./remark.ts";
import {
  countFilled,
  filledColumns,
  findFirstText,
  hasOwnData,
  hasSent,
  holdsFigure,
  holdsLetters,
  isAmount,
  isFilled,
  isNoKey,
  isSpecific,
  mayNameTotal,
  reads,
  RowsSoFar,
  textAt,
  type WatchedColumns,
} from "./rows-so-far.ts";
import { isWords, type Suspicion } from "./surveyed-totals.ts";
import {
  isBalancePhrase,
  isCarriedPhrase,
  isCountPhrase,
  isEverydayPhrase,
  isTotalPhrase,
  namesFigure,
  namesSum,
} from "./total-phrase.ts";

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
      // A key that is nothing but such a phrase names no record.
      const isPhrase = isTotalPhrase(text);
      const isKeyless = isPhrase && !isEverydayPhrase(text);
      if (isKeyless || this.#isNamedTotal(row, filled, key)) return { kind: "phrase", phrase: text };
      if (isPhrase) return undefined;
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

/**
 * Whether a row holds nothing but a balance, named in the column `label`: amounts behind it, its dates and at most a
 * currency. An entry of an account has that before it.
 */
function isBalance(columns: WatchedColumns, row: Row, label: number, scan: AmountScan): boolean {
  if (label === columns.key || !isBalancePhrase(textAt(row, label))) return false;
  return filledColumns(columns, row).every(
    (column) =>
      column === label ||
      columns.dates.includes(column) ||
      (column > label && isAmount(columns, row, column, scan)) ||
      /^(?:\p{Lu}{3}|\p{Sc})$/u.test(textAt(row, column)),
  );
}

/** The most cells of a heading or a footer: the code and the name of a group, a text and a page number. */
const MOST_CELLS = 2;
/** The fewest cells that the other rows fill: with less, a row of names is nothing unusual. */
const ROW_CELLS = 3;

/**
 * The words of a row that names a group, a page, a file or a signer: one or two cells, without the date that all rows so far have, and
 * without an amount; a single cell may lack an amount only. Above all rows it is enough that the row has such a cell, and it is blank.
 */
function findHeading(
  columns: WatchedColumns,
  rows: RowsSoFar,
  row: Row,
  filled: number,
  scan: AmountScan,
): string | undefined {
  if (filled > MOST_CELLS || rows.least < ROW_CELLS) return undefined;
  const { dates, digits } = columns;
  const amounts = columns.amounts.filter(({ evidence }) => evidence.marks !== 0).map(({ index }) => index);
  const needed = filled === 1 ? [...dates, ...amounts] : dates;
  // A member that a JSON record does not have is no blank cell: records of few members are nothing unusual.
  const own = row.record === undefined ? needed : needed.filter((column) => hasCell(row, column));
  const isLacking =
    rows.count === 0 ? isWideWith(columns, row, filled, needed) : rows.leavesBlank(row, own, columns);
  if (!isLacking) return undefined;
  const cells = filledColumns(columns, row);
  const typed = new Set([...dates, ...digits, ...amounts]);
  const isWords = (column: number): boolean => holdsLetters(textAt(row, column)) && !reads(row, column, scan);
  // A number is the code of a group where words follow it, and the quantity of an article where they come before.
  if (!isWords(cells.at(-1)!) || cells.some((column) => typed.has(column) && !isWords(column)))
    return undefined;
  return cells.map((column) => quoteText(textAt(row, column), 60)).join(" and ");
}

/** Whether a row has blank cells, and one in the columns `needed`. */
function isWideWith({ width }: WatchedColumns, row: Row, filled: number, needed: readonly number[]): boolean {
  const cells = Array.from({ length: width }, (_, column) => column).filter((column) => hasCell(row, column));
  return cells.length >= filled + ROW_CELLS - 1 && needed.some((column) => hasCell(row, column));
}

function hasCell(row: Row, column: number): boolean {
  return cellOf(row, column) !== undefined;
}

/** True for a remark by its own words, alone in its row, unless it may be a name as those alone in rows above. */
function isLoneRemark({ width }: WatchedColumns, rows: RowsSoFar, row: Row, column: number): boolean {
  const isList = rows.count === 0 ? width === 1 : rows.cells === rows.count;
  if (isList) return false;
  const text = textAt(row, column);
  return isRemark(text) || (rows.count > 0 && rows.least > 1 && isLikelyRemark(text));
}

/** The sums of all amount columns of one input, which a row may hold. */
export class SumsSoFar {
  readonly #scan: AmountScan;
  #columns: WatchedColumns;
  readonly #sums = new Map<number, ColumnSums>();

  constructor(columns: WatchedColumns, scan: AmountScan) {
    this.#columns = columns;
    this.#scan = scan;
    this.grow(columns);
  }

  /** Takes the columns again once there are more of them. */
  grow(columns: WatchedColumns): void {
    this.#columns = columns;
    for (const { index, evidence } of columns.amounts) {
      if (!this.#sums.has(index)) this.#sums.set(index, new ColumnSums(index, evidence));
    }
  }

  /** Notes that a blank row has passed, or that there is a gap between two rows. */
  passBlank(isGap: boolean): void {
    for (const sums of this.#sums.values()) sums.passBlank(isGap);
  }

  /** Notes that the next amounts to be added belong to a suspect, which may carry its sum to another page. */
  expectSuspect(isCarried: boolean): void {
    for (const sums of this.#sums.values()) sums.expectSuspect(isCarried);
  }

  /** Notes that the amounts of the suspect are added. */
  passSuspect(): void {
    for (const sums of this.#sums.values()) sums.passSuspect();
  }

  /** The field of an amount that is the sum of at least `least` amounts above it, or whose sum is zero. */
  find(row: Row, least: number, isZero = false): string | undefined {
    return this.#columns.amounts.find(({ index }) => this.#addsUp(row, index, least, isZero))?.field;
  }

  /** How many amounts of a row are the sum of several above them. */
  count(row: Row): number {
    return this.#columns.amounts.filter(({ index }) => this.#addsUp(row, index, 2, false)).length;
  }

  /** True if a column holds amounts. */
  isOpen(column: number): boolean {
    return this.#sums.get(column)?.isOpen === true;
  }

  #addsUp(row: Row, column: number, least: number, isZero: boolean): boolean {
    if (!this.isOpen(column) || !isFilled(row, column, this.#columns.nullsAt[column])) return false;
    return reads(row, column, this.#scan) && this.#sums.get(column)!.addsUp(this.#scan, least, isZero);
  }
}
