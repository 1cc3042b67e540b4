import type { AddAlike } from "../../kernel/evidence.ts";
import type { FailureCode } from "../../model/failure-codes.ts";
import type { Cell } from "../../model/rows.ts";
import { showCell } from "../spreadsheet-text.ts";
import {
  type ColumnDoubt,
  type ColumnEvidence,
  type ColumnFormat,
  type Example,
  showExample,
  type TypedColumn,
} from "../survey/typed-column.ts";
import { spellType, type Unreadable } from "../type-text.ts";
import {
  AmountScan,
  ANY_MARK,
  COMMA,
  DOT,
  isSingleMark,
  markName,
  MARKS,
  markSign,
  scanAmount,
} from "./amount-scan.ts";
import { AmountSum, type Decimal } from "./amount-sum.ts";
import { checkScale, scanAmountCell, writeAmount, writeUnder } from "./read-amount.ts";

/** A number with at most this many digits is exact as a float. */
const MOST_EXACT_DIGITS = 15;
const POINT = 0x2e;
const COMMA_SIGN = 0x2c;
/** Spaces and apostrophes, which are never decimal marks. */
const OTHER = 0;
/** A column that groups its digits would group a number of at least this many digits. */
const LEAST_UNGROUPED = 4;

/** A cell such as `1.459` in a column whose decimal mark is the comma, and the cell that speaks against grouping. */
interface LoneGroup {
  readonly lone: Example;
  readonly against: Example | undefined;
  readonly isUngrouped: boolean;
}

/**
 * Evidence from a column of amounts about the grouping of its digits: the first cells.
 */
class GroupEvidence {
  /** By the character that certainly groups, treated as the mark that it could be. */
  readonly #grouping: (Example | undefined)[] = [];
  #ungrouped: Example | undefined;
  /** Cells whose only mark may group three digits or begin three decimals, by that mark. */
  readonly #lone: (Example | undefined)[] = [];

  /** For each mark, the first cell that the two marks read differently: as a group or as decimals. */
  get ambiguous(): Example[] {
    return inOrder([this.#lone[DOT], this.#lone[COMMA]]);
  }

  /** Adds what was scanned, unless it is a JSON number. */
  add(scan: AmountScan, line: number): void {
    const { text, group, mark } = scan;
    if (scan.isAmbiguous()) this.#lone[signOf(text.charCodeAt(mark))] ??= { line, value: text };
    else if (group !== 0) this.#grouping[signOf(group)] ??= { line, value: text };
    else if ((mark === -1 ? scan.end : mark) - scan.start >= LEAST_UNGROUPED)
      this.#ungrouped ??= { line, value: text };
  }

  /** The first lone group under a decimal mark, if the column does not consistently group by its sign. */
  doubtUnder(mark: number): LoneGroup | undefined {
    const sign = ANY_MARK & ~mark;
    const lone = this.#lone[sign];
    if (lone === undefined) return undefined;
    const [against] = inOrder([this.#ungrouped, this.#grouping[OTHER]]);
    if (against === undefined && this.#grouping[sign] !== undefined) return undefined;
    return { lone, against, isUngrouped: against !== undefined && against === this.#ungrouped };
  }
}

function signOf(code: number): number {
  if (code === POINT) return DOT;
  return code === COMMA_SIGN ? COMMA : OTHER;
}

function inOrder(examples: readonly (Example | undefined)[]): Example[] {
  return examples.filter((example) => example !== undefined).toSorted((one, other) => one.line - other.line);
}

/**
 * Evidence from a column of amounts about its decimal mark, its grouping and its currency, in memory bounded by the
 * number of currencies.
 */
export class AmountEvidence implements ColumnEvidence {
  /** The pinned mark as a set; both marks if none is pinned. */
  readonly pinned: number;
  readonly scale: number | undefined;
  /** The marks that every cell so far leaves open. */
  marks = ANY_MARK;
  readonly groups = new GroupEvidence();
  /** The first cell of each currency. */
  readonly currencies = new Map<string, Example>();
  /** Of the amounts in records. */
  readonly #sum = new AmountSum();
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
    this.#sum.add(scan);
    const example = { line, value: scan.text };
    if (scan.currency !== "" && !this.currencies.has(scan.currency))
      this.currencies.set(scan.currency, example);
    if (scan.isExact) return undefined;
    this.groups.add(scan, line);
    if (scan.marks !== ANY_MARK) {
      this.marks &= scan.marks;
      this.#excluding[ANY_MARK & ~scan.marks] ??= example;
    } else if (scan.isAmbiguous()) this.#addTooFine(scan, example);
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
    return (units) => this.#sum.addUnits(sign * units, decimals);
  }

  /** Takes a cell that was added out of {@link recordSum}, because its row gives no record. */
  leaveOut(cell: Cell): void {
    const scan = this.#scan;
    if ((scanAmountCell(cell, scan) ?? this.#check(scan)) === undefined) this.#sum.add(scan, -1);
  }

  /** The sum of the amounts in records under the settled marks; `undefined` if it was not kept. */
  recordSum(marks: number): Decimal | undefined {
    return this.#sum.total(marks === COMMA ? COMMA : DOT);
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

  #addTooFine(scan: AmountScan, example: Example): void {
    if (this.scale === undefined || this.pinned !== ANY_MARK) return;
    for (const mark of MARKS)
      if (checkScale(scan, mark, this.scale, undefined) !== undefined) this.#tooFine[mark] ??= example;
  }
}

/** A column of amounts with its evidence. */
interface AmountColumn {
  readonly column: TypedColumn;
  readonly evidence: AmountEvidence;
}

/** In the order in which questions show them. */
const COMMA_FIRST = [COMMA, DOT] as const;

/** Settles one column: by its pin, else by its own cells; other columns may be written otherwise. */
export function settleAmounts(amounts: AmountColumn): ColumnFormat | ColumnDoubt {
  const { column, evidence } = amounts;
  const doubt = doubtCurrency(amounts);
  if (doubt !== undefined) return doubt;
  const mark = evidence.pinned === ANY_MARK ? settleMark(amounts) : pinnedMark(amounts);
  if ("code" in mark) return mark;
  const { marks, settledBy, inferred } = mark;
  const tooFine = isSingleMark(marks) ? evidence.tooFine(marks) : undefined;
  if (tooFine !== undefined) {
    const text = `${showExample(tooFine)} has more than ${evidence.scale} decimals with the ${markName(marks)}, settled by ${settledBy}`;
    const options = [`--type ${column.field}=amount`];
    return { code: "too-many-decimals", column, line: tooFine.line, text, options };
  }
  const { scale } = evidence;
  const spec = { kind: "amount", marks, scale, field: column.field } as const;
  return { format: isSingleMark(marks) ? markName(marks) : undefined, settledBy, inferred, spec };
}

interface SettledMark {
  readonly marks: number;
  readonly settledBy: string | undefined;
  readonly inferred: boolean;
}

function pinnedMark({ column, evidence }: AmountColumn): SettledMark {
  const isOwn = column.type.kind === "amount" && column.type.decimal !== undefined;
  return { marks: evidence.pinned, settledBy: isOwn ? "--type" : "--decimal", inferred: false };
}

function settleMark(amounts: AmountColumn): SettledMark | ColumnDoubt {
  const { evidence } = amounts;
  const { marks, groups } = evidence;
  if (marks === 0) return doubtContradiction(amounts);
  const proof = evidence.excluding(ANY_MARK & ~marks);
  if (proof !== undefined) {
    const lone = groups.doubtUnder(marks);
    if (lone !== undefined) return doubtLoneGroup(lone, amounts);
    return { marks, settledBy: showExample(proof), inferred: true };
  }
  const [ambiguous] = groups.ambiguous;
  if (ambiguous === undefined) return { marks, settledBy: undefined, inferred: false };
  const readings = groups.ambiguous.map(
    (example) =>
      `${showExample(example)} is ${COMMA_FIRST.map((mark) => readUnder(example.value, mark)).join(" or ")}`,
  );
  return doubtMark("ambiguous-amount", amounts, ambiguous.line, readings.join(", and "));
}

function ownMark({ column, evidence }: AmountColumn, mark: number): string {
  const scale = evidence.scale === undefined ? {} : { scale: evidence.scale };
  return `--type ${column.field}=${spellType({ kind: "amount", ...scale, decimal: markSign(mark) })}`;
}

function doubtLoneGroup({ lone, against, isUngrouped }: LoneGroup, amounts: AmountColumn): ColumnDoubt {
  const mark = amounts.evidence.marks;
  const [grouped, decimal] = [mark, ANY_MARK & ~mark].map((under) => readUnder(lone.value, under));
  const why =
    against === undefined
      ? "no other cell of the column groups by its sign"
      : `${showExample(against)} ${isUngrouped ? "has four digits without a group" : "groups otherwise"}`;
  const text = `${showExample(lone)} is ${grouped} or ${decimal}, and ${why}`;
  const written = lone.value.replace(/[.,]/, markSign(mark));
  const options = [`${ownMark(amounts, mark)} reads ${grouped}; for ${decimal} write ${written} in the file`];
  return { code: "lone-group", column: amounts.column, line: lone.line, text, options };
}

function readUnder(value: string, mark: number): string {
  const scan = new AmountScan();
  scanAmount(value, scan);
  const amount = writeUnder(mark, scan, undefined);
  return typeof amount === "string" ? amount : value;
}

function doubtContradiction(amounts: AmountColumn): ColumnDoubt {
  const point = amounts.evidence.excluding(COMMA);
  const comma = amounts.evidence.excluding(DOT);
  const examples = [point, comma].filter((example) => example !== undefined);
  const text = `${point && showExample(point)} has a decimal point and ${comma && showExample(comma)} a decimal comma; whichever is named, rows with the other are invalid`;
  return doubtMark("contradicting-amounts", amounts, Math.min(...examples.map(({ line }) => line)), text);
}

function doubtMark(code: FailureCode, amounts: AmountColumn, line: number, text: string): ColumnDoubt {
  const options = COMMA_FIRST.map((mark) => ownMark(amounts, mark));
  return { code, column: amounts.column, line, text, options };
}

function doubtCurrency({ column, evidence }: AmountColumn): ColumnDoubt | undefined {
  const [first, second] = evidence.currencies;
  if (first === undefined || second === undefined) return undefined;
  const text = `${showExample(first[1])} is in ${first[0]} and ${showExample(second[1])} in ${second[0]}, and the service gets no currency`;
  const options = [`--type ${column.field}=text`];
  return { code: "two-currencies", column, line: second[1].line, text, options };
}
