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
/** Both marks, in the order in which questions show them. */
const MARKS = [COMMA, DOT] as const;

/**
 * Evidence from a column of amounts about its decimal mark, its grouping and its currency: the first cell of each
 * kind, in memory bounded by the number of currencies.
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
  /** The marks that certainly group in a cell. */
  grouping = 0;
  /** True once a cell has four digits or more that no mark groups. */
  isUngrouped = false;
  /** By decimal mark, which may still be open: the sum of the amounts in records, exactly. */
  readonly #sums: Record<number, bigint> = { [DOT]: 0n, [COMMA]: 0n };
  #isSumLost = false;
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
    if (scan.isAmbiguous()) this.lone[bitOf(scan.body[scan.mark]!)] ??= example;
    else if (bitOf(scan.group) !== 0) this.grouping |= bitOf(scan.group);
    else if (/\d{4}/.test(scan.body.slice(0, scan.mark === -1 ? undefined : scan.mark)) || scan.group !== "")
      this.isUngrouped = true;
    if (scan.marks !== ANY_MARK) {
      this.marks &= scan.marks;
      this.excluding[ANY_MARK & ~scan.marks] ??= example;
    }
    return NOT_YET_KNOWN;
  }

  count(): void {
    if (this.#last === undefined) return;
    const { body, isNegative, isExact, marks } = this.#last;
    const digits = BigInt(body.replaceAll(/\D/g, ""));
    for (const mark of MARKS) {
      // Under a mark that it excludes, the amount has its own value.
      const own = isExact ? DOT : marks & mark || marks;
      this.#add(mark, isNegative ? -digits : digits, this.#last.countDecimals(own));
    }
  }

  /** Its amount as evidence of its shape; `undefined` if each cell of the shape is evidence of its own. */
  alike(cell: Cell): AddAlike | undefined {
    const scan = scanAmountCell(cell);
    if (!(scan instanceof ScannedAmount) || (!scan.isExact && scan.isAmbiguous())) return undefined;
    const decimals = scan.countDecimals(scan.marks === COMMA ? COMMA : DOT);
    const written = scan.text.replaceAll(/\D/g, "");
    const isExact = written.length <= MOST_EXACT_DIGITS && written === showCell(cell).replaceAll(/\D/g, "");
    if (!isExact) return undefined;
    const sign = scan.isNegative ? -1 : 1;
    return (digits) => {
      for (const mark of MARKS) this.#add(mark, BigInt(sign * digits), decimals);
    };
  }

  settle(column: TypedColumn): ColumnFormat | ColumnDoubt {
    return settleAmounts(column, this);
  }

  /** The sum of the amounts in records under the settled marks, for {@link writeSum}; `undefined` if it was not kept. */
  recordSum(marks: number): bigint | undefined {
    return this.#isSumLost ? undefined : this.#sums[marks === COMMA ? COMMA : DOT];
  }

  /** Adds an amount as its digits without the mark. */
  #add(mark: number, digits: bigint, decimals: number): void {
    if (decimals > MOST_DECIMALS) this.#isSumLost = true;
    else this.#sums[mark]! += digits * UNITS[decimals]!;
  }
}

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
      `${showExample(example)} is ${MARKS.map((mark) => readUnder(example.value, mark)).join(" or ")}`,
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

/** The mark that a sign is; 0 for another. */
function bitOf(sign: string): number {
  return sign === "." ? DOT : sign === "," ? COMMA : 0;
}

function signOf(mark: number): "." | "," {
  return mark === DOT ? "." : ",";
}

/** A cell such as `1.459` beside `12,50`, unless the column groups all numbers by its sign. */
function doubtLoneGroup(
  column: TypedColumn,
  { marks, lone, grouping, isUngrouped }: AmountEvidence,
): ColumnDoubt | undefined {
  const sign = ANY_MARK & ~marks;
  const example = lone[sign];
  if (example === undefined || ((grouping & sign) !== 0 && !isUngrouped)) return undefined;
  const [grouped, decimal] = [marks, sign].map((under) => readUnder(example.value, under));
  const written = example.value.replace(/[.,]/, signOf(marks));
  const options = [`${ownMark(column, marks)} reads ${grouped}; for ${decimal} write ${written} in the file`];
  const text = `is ${grouped} or ${decimal}, and the column does not group all numbers by its sign`;
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
  const options = MARKS.map((mark) => ownMark(column, mark));
  return { code, line, text, options };
}

/** A currency with its first cell. */
type Paid = readonly [currency: string, example: Example];

function doubtCurrencies(column: TypedColumn, first: Paid, second: Paid): ColumnDoubt {
  const text = `${showExample(first[1])} is in ${first[0]} and ${showExample(second[1])} in ${second[0]}, and a record has no currency`;
  const options = [`--type ${column.field}=text`];
  return { code: "two-currencies", line: second[1].line, text, options };
}

/** With more decimals than this no sum is kept: such a column does not hold money. */
const MOST_DECIMALS = 30;
/** By number of decimals: how many units of a sum are one of the last decimal. */
const UNITS = Array.from(
  { length: MOST_DECIMALS + 1 },
  (_, decimals) => 10n ** BigInt(MOST_DECIMALS - decimals),
);
const CENTS = 2;

/** Writes a sum with as few decimals as it needs, but cents with two: `-437.50`. */
export function writeSum(sum: bigint): string {
  const digits = String(sum < 0n ? -sum : sum).padStart(MOST_DECIMALS + 1, "0");
  const decimals = digits.slice(-MOST_DECIMALS).replace(/0+$/, "");
  const whole = `${sum < 0n ? "-" : ""}${digits.slice(0, -MOST_DECIMALS)}`;
  return decimals === "" ? whole : `${whole}.${decimals.padEnd(CENTS, "0")}`;
}

/** Reads a wire amount, `-437.50`, as a sum. */
export function parseSum(amount: string): bigint {
  const [whole = "", decimals = ""] = amount.split(".");
  return BigInt(whole + decimals) * UNITS[decimals.length]!;
}
