import type { AddAlike } from "../../kernel/evidence.ts";
import { expandJsonNumber } from "../../model/json-number.ts";
import { type Cell, JsonNumber, UnusableCell } from "../../model/problem-groups.ts";
import { CUT_NUMBER, findDamage, hasExponent } from "../key.ts";
import { showCell, trimSpaces, undoSpreadsheetText } from "../spreadsheet-text.ts";
import { earlier, type Example, isEarlier } from "../survey/example.ts";
import type { Evidence } from "../survey/plain-evidence.ts";
import { type ReadValue, refuseOther, refuseText, type Unreadable } from "../type-text.ts";
import { AmountScan, ANY_MARK, COMMA, DOT, MARKS, scanAmount } from "./amount-scan.ts";
import { AmountSum, type Decimal, subtract } from "./amount-sum.ts";

/** A number with at most this many digits is exact as a float. */
const MOST_EXACT_DIGITS = 15;
const POINT = 0x2e;
const COMMA_SIGN = 0x2c;
/** Spaces and apostrophes, which are never decimal marks. */
const OTHER = 0;
/** A column that groups its digits would group a number of at least this many digits. */
const LEAST_UNGROUPED = 4;

/** A cell such as `1.459` in a column whose decimal mark is the comma, and the cell that speaks against grouping. */
export interface LoneGroup {
  readonly lone: Example;
  readonly against: Example | undefined;
  readonly isUngrouped: boolean;
}

/**
 * Evidence from a column of amounts about the grouping of its digits: the first cells, whatever the order in which they
 * are read.
 */
class GroupEvidence {
  /** By the character that certainly groups, treated as the mark that it could be. */
  readonly #grouping: (Example | undefined)[] = [];
  #ungrouped: Example | undefined;
  /** Cells whose only mark may group three digits or begin three decimals, by that mark. */
  readonly #lone: (Example | undefined)[] = [];

  /** For each mark, the first cell that the two marks read differently: as a group or as decimals. */
  get ambiguous(): Example[] {
    const [point, comma] = [this.#lone[DOT], this.#lone[COMMA]];
    const first = earlier(point, comma);
    return [first, first === point ? comma : point].filter((example) => example !== undefined);
  }

  /** Adds what was scanned, unless it is a JSON number. */
  add(scan: AmountScan, line: number): void {
    const { text, group, mark } = scan;
    if (scan.isAmbiguous()) keep(this.#lone, signOf(text.charCodeAt(mark)), line, text);
    else if (group !== 0) keep(this.#grouping, signOf(group), line, text);
    else if ((mark === -1 ? scan.end : mark) - scan.start >= LEAST_UNGROUPED) {
      if (isEarlier(line, text, this.#ungrouped)) this.#ungrouped = { line, value: text };
    }
  }

  /** The first lone group under a decimal mark, if the column does not consistently group by its sign. */
  doubtUnder(mark: number): LoneGroup | undefined {
    const sign = ANY_MARK & ~mark;
    const lone = this.#lone[sign];
    if (lone === undefined) return undefined;
    const against = earlier(this.#ungrouped, this.#grouping[OTHER]);
    if (against === undefined && this.#grouping[sign] !== undefined) return undefined;
    return { lone, against, isUngrouped: against !== undefined && against === this.#ungrouped };
  }
}

function signOf(code: number): number {
  if (code === POINT) return DOT;
  return code === COMMA_SIGN ? COMMA : OTHER;
}

function keep(examples: (Example | undefined)[], sign: number, line: number, value: string): void {
  if (isEarlier(line, value, examples[sign])) examples[sign] = { line, value };
}

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

  /**
   * What a further cell adds that differs from an added one in its digits only: its amount. `undefined` if each of them is
   * evidence of its own.
   */
  alike(cell: Cell): AddAlike | undefined {
    const scan = this.#scan;
    if (scanAmountCell(cell, scan) !== undefined || (!scan.isExact && scan.isAmbiguous())) return undefined;
    const decimals = scan.countDecimals(scan.marks === COMMA ? COMMA : DOT);
    const digits = scan.text.replaceAll(/\D/g, "");
    const isExact = digits.length <= MOST_EXACT_DIGITS && digits === showCell(cell).replaceAll(/\D/g, "");
    if (!isExact || decimals > (this.scale ?? decimals)) return undefined;
    const sign = scan.isNegative ? -1 : 1;
    return { isSum: true, add: (units) => this.sum.addUnits(sign * units, decimals) };
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

/** Everything that reading one column's amounts depends on. */
export interface AmountRules {
  /** The decimal marks that are left; if both are, only amounts that have the same value under both are read. */
  readonly marks: number;
  /** Decimals to pad to; further decimals are refused unless they are zeros. */
  readonly scale: number | undefined;
  /** The field, for hints. */
  readonly field: string | undefined;
}

/** The byte of € in iso-8859-15 is ¤ in windows-1252, and no amount has that sign. */
const OTHER_ENCODING: Unreadable = {
  reason: "it holds ¤, which is € where the file is iso-8859-15",
  hint: "--encoding iso-8859-15",
};

/** Makes the reader of a settled column: a decimal with `.` and no grouping (`437.50`, `-0.5`), or the reason. */
export function amountReader(rules: AmountRules): ReadValue {
  const scan = new AmountScan();
  return (cell) => scanAmountCell(cell, scan) ?? writeAmount(scan, rules);
}

/**
 * Parses a cell that is not blank into `scan`; returns why it is not an amount under any decimal mark. JSON numbers are
 * never ambiguous: their mark is the point and nothing groups them.
 */
export function scanAmountCell(cell: Cell, scan: AmountScan): Unreadable | undefined {
  if (typeof cell === "string") {
    const text = undoSpreadsheetText(trimSpaces(cell));
    const reason = scanAmount(text, scan);
    if (reason === undefined) return undefined;
    return text.includes("¤") ? OTHER_ENCODING : refuseText(text, explainText(text) ?? reason);
  }
  if (cell instanceof JsonNumber) return scanJsonNumber(cell, scan);
  if (cell instanceof UnusableCell) return cell;
  return refuseOther(cell, "an amount");
}

/** Writes what was scanned under the rules of its column. */
function writeAmount(scan: AmountScan, { marks, scale, field }: AmountRules): string | Unreadable {
  const possible = scan.isExact ? DOT : scan.marks & marks;
  if (possible === 0) {
    const other = scan.marks === DOT ? "point" : "comma";
    return {
      reason: `its decimal mark is the ${other}, that of the column is not`,
      hint: otherMark(scan.marks),
    };
  }
  if (possible === ANY_MARK && scan.isAmbiguous()) {
    return { reason: "its mark may group digits or begin the decimals", hint: "--decimal , or --decimal ." };
  }
  return writeUnder(possible === ANY_MARK ? DOT : possible, scan, scale, field);
}

/** Returns an error if an amount has decimals beyond the scale that are not zeros, given its decimal mark. */
function checkScale(
  scan: AmountScan,
  mark: number,
  scale: number,
  field: string | undefined,
): Unreadable | undefined {
  const count = scan.countDecimals(mark);
  if (count <= scale || isZero(scan.text.slice(scan.end - count + scale, scan.end))) return undefined;
  const reason = `it has more than ${scale} ${scale === 1 ? "decimal" : "decimals"}`;
  return field === undefined ? { reason } : { reason, hint: `--type ${field}=amount:${count}` };
}

/**
 * Writes what was scanned with one decimal mark. Zeros beyond the scale are dropped, because nothing is lost with them.
 */
export function writeUnder(
  mark: number,
  scan: AmountScan,
  scale: number | undefined,
  field?: string,
): string | Unreadable {
  const unreadable = scale === undefined ? undefined : checkScale(scan, mark, scale, field);
  if (unreadable !== undefined) return unreadable;
  const { text, start, end } = scan;
  const at = scan.decimalsAt(mark);
  const wholeEnd = at === -1 ? end : at;
  const isGrouped = scan.group !== 0 || (at === -1 && scan.mark !== -1);
  const whole = dropLeadingZeros(isGrouped ? joinGroups(text, start, wholeEnd) : text.slice(start, wholeEnd));
  let decimals = at === -1 ? "" : text.slice(at + 1, end);
  if (scale !== undefined) decimals = decimals.slice(0, scale).padEnd(scale, "0");
  const amount = decimals === "" ? whole : `${whole}.${decimals}`;
  return scan.isNegative && !isZero(amount) ? `-${amount}` : amount;
}

function scanJsonNumber({ source }: JsonNumber, scan: AmountScan): Unreadable | undefined {
  const text = expandJsonNumber(source);
  if (text === undefined) return { reason: "its exponent is too large" };
  scan.text = text;
  scan.isNegative = text.startsWith("-");
  scan.currency = "";
  scan.start = scan.isNegative ? 1 : 0;
  scan.end = text.length;
  scan.isExact = true;
  scan.group = 0;
  scan.mark = text.indexOf(".");
  scan.marks = scan.mark === -1 ? ANY_MARK : DOT;
  return undefined;
}

function explainText(text: string): string | undefined {
  return findDamage(text) ?? (hasExponent(text) ? CUT_NUMBER : undefined);
}

function otherMark(mark: number): string {
  return mark === DOT ? "--decimal ." : "--decimal ,";
}

function joinGroups(text: string, start: number, end: number): string {
  const first = (end - start) % 4;
  let digits = text.slice(start, start + first);
  for (let at = start + first + 1; at < end; at += 4) digits += text.slice(at, at + 3);
  return digits;
}

function dropLeadingZeros(digits: string): string {
  let at = 0;
  while (at < digits.length - 1 && digits.charCodeAt(at) === 0x30) at++;
  if (digits === "") return "0";
  return at === 0 ? digits : digits.slice(at);
}

function isZero(amount: string): boolean {
  for (let at = 0; at < amount.length; at++) {
    const code = amount.charCodeAt(at);
    if (code !== 0x30 && code !== 0x2e) return false;
  }
  return true;
}
