import type { AddAlike } from "../../kernel/evidence.ts";
import type { FailureCode } from "../../model/failure-codes.ts";
import type { Cell } from "../../model/rows.ts";
import { showCell } from "../spreadsheet-text.ts";
import {
  type ColumnDoubt,
  type ColumnEvidence,
  type ColumnFormat,
  doubtAbout,
  type Example,
  NOT_YET_KNOWN,
  showExample,
  type TypedColumn,
} from "../survey/column-format.ts";
import { type FieldType, type FormatPins, spellType, type Unreadable } from "../type-text.ts";
import {
  ANY_MARK,
  COMMA,
  DOT,
  scanAmount,
  scanAmountCell,
  ScannedAmount,
  writeAmount,
  writeUnder,
} from "./amount.ts";

/** A number with at most this many digits is exact as a float. */
const MOST_EXACT_DIGITS = 15;
/** A column that groups its digits would group a number of at least this many digits. */
const LEAST_UNGROUPED = 4;

/**
 * Evidence from a column of amounts about its decimal mark, its grouping and its currency, in memory bounded by the
 * number of currencies: first cells.
 */
export class AmountEvidence implements ColumnEvidence {
  /** The pinned mark as a set; both marks if none is pinned. */
  readonly pinned: number;
  /** The marks that every cell so far leaves open. */
  marks = ANY_MARK;
  /** The first cell of each currency. */
  readonly currencies = new Map<string, Example>();
  /** The first cell that excludes a mark, by its bit. */
  readonly excluding: (Example | undefined)[] = [];
  /** The first cell in which a mark may group three digits or begin three decimals, by its bit. */
  readonly lone: (Example | undefined)[] = [];
  /** The first cell in which a mark certainly groups, by its bit. */
  readonly grouping: (Example | undefined)[] = [];
  /** The first cell of four digits or more in which no mark groups them. */
  ungrouped: Example | undefined;
  /** Of the amounts in records. */
  readonly #sum = new AmountSum();
  /** The cell that was taken last. */
  #last: ScannedAmount | undefined;

  constructor({ decimal }: Extract<FieldType, { kind: "amount" }>, pins: FormatPins) {
    const mark = decimal ?? pins.decimal;
    this.pinned = mark === undefined ? ANY_MARK : mark === "." ? DOT : COMMA;
  }

  take(cell: Cell, line: number): string | Unreadable {
    const scan = scanAmountCell(cell);
    if (!(scan instanceof ScannedAmount)) return scan;
    this.#last = scan;
    if (!scan.isExact && (scan.marks & this.pinned) === 0) return writeAmount(scan, this.pinned);
    const example = { line, value: scan.text };
    if (scan.currency !== "" && !this.currencies.has(scan.currency))
      this.currencies.set(scan.currency, example);
    if (scan.isExact) return NOT_YET_KNOWN;
    this.#addGroups(scan, example);
    if (scan.marks !== ANY_MARK) {
      this.marks &= scan.marks;
      this.excluding[ANY_MARK & ~scan.marks] ??= example;
    }
    return NOT_YET_KNOWN;
  }

  count(): void {
    if (this.#last !== undefined) this.#sum.add(this.#last);
  }

  /** Its amount as evidence of its shape; `undefined` if each cell of the shape is evidence of its own. */
  alike(cell: Cell): AddAlike | undefined {
    const scan = scanAmountCell(cell);
    if (!(scan instanceof ScannedAmount) || (!scan.isExact && scan.isAmbiguous())) return undefined;
    const decimals = scan.countDecimals(scan.marks === COMMA ? COMMA : DOT);
    const digits = scan.text.replaceAll(/\D/g, "");
    const isExact = digits.length <= MOST_EXACT_DIGITS && digits === showCell(cell).replaceAll(/\D/g, "");
    if (!isExact) return undefined;
    const sign = scan.isNegative ? -1 : 1;
    return (units) => this.#sum.addUnits(sign * units, decimals);
  }

  settle(column: TypedColumn): ColumnFormat | ColumnDoubt {
    return settleAmounts(column, this);
  }

  /** The sum of the amounts in records under the settled marks; `undefined` if it was not kept. */
  recordSum(marks: number): Decimal | undefined {
    return this.#sum.total(marks === COMMA ? COMMA : DOT);
  }

  #addGroups(scan: ScannedAmount, example: Example): void {
    const { body, group, mark } = scan;
    const sign = group || body[mark];
    const bit = sign === "." ? DOT : sign === "," ? COMMA : 0;
    if (scan.isAmbiguous()) this.lone[bit] ??= example;
    else if (group !== "" && bit !== 0) this.grouping[bit] ??= example;
    else if (group !== "" || (mark === -1 ? body.length : mark) >= LEAST_UNGROUPED)
      this.ungrouped ??= example;
  }
}

/** In the order in which questions show them. */
const COMMA_FIRST = [COMMA, DOT] as const;

/** Settles one column: by its pin, else by its own cells; other columns may be written otherwise. */
function settleAmounts(column: TypedColumn, evidence: AmountEvidence): ColumnFormat | ColumnDoubt {
  const { pinned, currencies, marks, excluding, lone } = evidence;
  const [first, second] = currencies;
  if (first !== undefined && second !== undefined) return doubtCurrencies(column, first, second);
  if (pinned !== ANY_MARK) {
    const isOwn = column.type.kind === "amount" && column.type.decimal !== undefined;
    return formatOf(pinned, isOwn ? "--type" : "--decimal", false);
  }
  if (marks === 0) return doubtContradiction(column, evidence);
  const proof = excluding[ANY_MARK & ~marks];
  if (proof !== undefined)
    return doubtLoneGroup(column, evidence) ?? formatOf(marks, showExample(proof), true);
  const ambiguous = [lone[DOT], lone[COMMA]]
    .filter((example) => example !== undefined)
    .toSorted((one, other) => one.line - other.line);
  if (ambiguous.length === 0) return formatOf(marks, undefined, false);
  const readings = ambiguous.map(
    (example) =>
      `${showExample(example)} is ${COMMA_FIRST.map((mark) => readUnder(example.value, mark)).join(" or ")}`,
  );
  return doubtMark("ambiguous-amount", column, ambiguous[0]!.line, readings.join(", and "));
}

function formatOf(marks: number, settledBy: string | undefined, inferred: boolean): ColumnFormat {
  const format =
    marks === ANY_MARK ? undefined : marks === DOT ? ("decimal point" as const) : ("decimal comma" as const);
  return { format, settledBy, inferred, spec: { kind: "amount", marks } };
}

function ownMark({ field }: TypedColumn, mark: number): string {
  return `--type ${field}=${spellType({ kind: "amount", decimal: signOf(mark) })}`;
}

function signOf(mark: number): "." | "," {
  return mark === DOT ? "." : ",";
}

/** A cell such as `1.459` beside `12,50`, unless the column consistently groups by its sign. */
function doubtLoneGroup(
  column: TypedColumn,
  { marks, lone, grouping, ungrouped }: AmountEvidence,
): ColumnDoubt | undefined {
  const sign = ANY_MARK & ~marks;
  const example = lone[sign];
  if (example === undefined || (grouping[sign] !== undefined && ungrouped === undefined)) return undefined;
  const [grouped, decimal] = [marks, sign].map((under) => readUnder(example.value, under));
  const why =
    ungrouped === undefined
      ? "no other cell of the column groups by its sign"
      : `${showExample(ungrouped)} does not group by its sign`;
  const text = `is ${grouped} or ${decimal}, and ${why}`;
  const written = example.value.replace(/[.,]/, signOf(marks));
  const options = [`${ownMark(column, marks)} reads ${grouped}; for ${decimal} write ${written} in the file`];
  return doubtAbout("lone-group", example, text, options);
}

function readUnder(value: string, mark: number): string {
  const amount = scanAmount(value);
  return typeof amount === "string" ? value : writeUnder(mark, amount);
}

function doubtContradiction(column: TypedColumn, { excluding }: AmountEvidence): ColumnDoubt {
  const point = excluding[COMMA]!;
  const comma = excluding[DOT]!;
  const text = `${showExample(point)} has a decimal point and ${showExample(comma)} a decimal comma; whichever is named, rows with the other are invalid`;
  return doubtMark("contradicting-formats", column, Math.min(point.line, comma.line), text);
}

function doubtMark(code: FailureCode, column: TypedColumn, line: number, text: string): ColumnDoubt {
  const options = COMMA_FIRST.map((mark) => ownMark(column, mark));
  return { code, line, text, options };
}

/** A currency with its first cell. */
type Paid = readonly [currency: string, example: Example];

function doubtCurrencies(column: TypedColumn, first: Paid, second: Paid): ColumnDoubt {
  const text = `${showExample(first[1])} is in ${first[0]} and ${showExample(second[1])} in ${second[0]}, and the service gets no currency`;
  const options = [`--type ${column.field}=text`];
  return { code: "two-currencies", line: second[1].line, text, options };
}

/** With more decimals than this no sum is kept: such a column does not hold money. */
const MAX_DECIMALS = 30;
const CENTS = 2;

/** A decimal number: `units` times ten to the power of minus `decimals`. */
interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

/** The exact sum of a column whose decimal mark may still be open, in bounded memory; digits never become floats. */
export class AmountSum {
  /** By decimal mark, and by number of decimals. */
  readonly #sums: Readonly<Record<number, bigint[]>> = { [DOT]: [], [COMMA]: [] };
  #isLost = false;

  /** Adds an amount that can be read. */
  add(amount: ScannedAmount): void {
    const { body, isNegative, isExact, marks } = amount;
    const units = BigInt(body.replaceAll(/\D/g, ""));
    for (const mark of [DOT, COMMA]) {
      // Under a mark that it excludes, the amount has its own value.
      const own = isExact ? DOT : marks & mark || marks;
      this.#add(mark, isNegative ? -units : units, amount.countDecimals(own));
    }
  }

  /** Adds whole units of an amount that has only one reading. */
  addUnits(units: number, decimals: number): void {
    for (const mark of [DOT, COMMA]) this.#add(mark, BigInt(units), decimals);
  }

  /** The sum with this decimal mark; `undefined` if it was not kept. */
  total(mark: number): Decimal | undefined {
    if (this.#isLost) return undefined;
    const sums = this.#sums[mark]!;
    const decimals = Math.max(0, sums.length - 1);
    const scaled = sums.map((units, own) => scaleUnits({ units, decimals: own }, decimals));
    return { units: scaled.reduce((sum, part) => sum + part, 0n), decimals };
  }

  #add(mark: number, units: bigint, decimals: number): void {
    if (decimals > MAX_DECIMALS) this.#isLost = true;
    else {
      const sums = this.#sums[mark]!;
      while (sums.length <= decimals) sums.push(0n);
      sums[decimals]! += units;
    }
  }
}

/** The units of a decimal number, scaled to at least as many decimals as it has. */
export function scaleUnits({ units, decimals }: Decimal, to: number): bigint {
  return units * 10n ** BigInt(to - decimals);
}

/** The difference of two decimal numbers, exactly. */
export function subtract(from: Decimal, amount: Decimal): Decimal {
  const decimals = Math.max(from.decimals, amount.decimals);
  return { units: scaleUnits(from, decimals) - scaleUnits(amount, decimals), decimals };
}

/** Writes a decimal number with as few decimals as it needs, but cents with two: `-437.50`. */
export function writeDecimal({ units, decimals }: Decimal): string {
  if (decimals > CENTS && units % 10n === 0n)
    return writeDecimal({ units: units / 10n, decimals: decimals - 1 });
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const sign = units < 0n ? "-" : "";
  return decimals === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-decimals)}`;
}

/** Reads a wire amount: `-437.50`. */
export function parseDecimal(amount: string): Decimal {
  const at = amount.indexOf(".");
  return { units: BigInt(amount.replace(".", "")), decimals: at === -1 ? 0 : amount.length - at - 1 };
}
