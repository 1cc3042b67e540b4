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
  showExample,
  type TypedColumn,
} from "../survey/column-format.ts";
import { type FieldType, type FormatPins, spellType, type Unreadable } from "../type-text.ts";
import {
  AmountScan,
  ANY_MARK,
  COMMA,
  DOT,
  isSingleMark,
  markBit,
  markName,
  MARKS,
  markSign,
  scanAmount,
} from "./amount-scan.ts";
import { AmountSum, type Decimal } from "./amount-sum.ts";
import { checkScale, scanAmountCell, writeAmount, writeUnder } from "./read-amount.ts";

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
  readonly scale: number | undefined;
  /** The marks that every cell so far leaves open. */
  marks = ANY_MARK;
  /** The first cell of each currency. */
  readonly currencies = new Map<string, Example>();
  /** The first cell that excludes a mark, by its bit. */
  readonly excluding: (Example | undefined)[] = [];
  /** The first ambiguous cell with too many decimals under a mark, by the mark's bit. */
  readonly tooFine: (Example | undefined)[] = [];
  /** The first cell in which a mark may group three digits or begin three decimals, by its bit. */
  readonly lone: (Example | undefined)[] = [];
  /** The first cell in which a mark certainly groups, by its bit. */
  readonly grouping: (Example | undefined)[] = [];
  /** The first cell of four digits or more in which no mark groups them. */
  ungrouped: Example | undefined;
  /** Of the amounts in records. */
  readonly #sum = new AmountSum();
  readonly #field: string;
  /** The cell that was added last. */
  readonly #scan = new AmountScan();

  constructor({ decimal, scale }: Extract<FieldType, { kind: "amount" }>, pins: FormatPins, field: string) {
    const mark = decimal ?? pins.decimal;
    this.pinned = mark === undefined ? ANY_MARK : markBit(mark);
    this.scale = scale;
    this.#field = field;
  }

  add(cell: Cell, line: number): Unreadable | undefined {
    const scan = this.#scan;
    const unreadable = scanAmountCell(cell, scan) ?? this.#check(scan);
    if (unreadable !== undefined) return unreadable;
    const example = { line, value: scan.text };
    if (scan.currency !== "" && !this.currencies.has(scan.currency))
      this.currencies.set(scan.currency, example);
    if (scan.isExact) return undefined;
    this.#addGroups(scan, example);
    if (scan.marks !== ANY_MARK) {
      this.marks &= scan.marks;
      this.excluding[ANY_MARK & ~scan.marks] ??= example;
    } else if (scan.isAmbiguous()) this.#addTooFine(scan, example);
    return undefined;
  }

  count(): void {
    this.#sum.add(this.#scan);
  }

  /** Its amount; `undefined` if each cell of the shape is evidence of its own. */
  alike(cell: Cell): AddAlike | undefined {
    const scan = new AmountScan();
    if (scanAmountCell(cell, scan) !== undefined || (!scan.isExact && scan.isAmbiguous())) return undefined;
    const decimals = scan.countDecimals(scan.marks === COMMA ? COMMA : DOT);
    const digits = scan.text.replaceAll(/\D/g, "");
    const isExact = digits.length <= MOST_EXACT_DIGITS && digits === showCell(cell).replaceAll(/\D/g, "");
    if (!isExact || decimals > (this.scale ?? decimals)) return undefined;
    const sign = scan.isNegative ? -1 : 1;
    return (units) => this.#sum.addUnits(sign * units, decimals);
  }

  /** The sum of the amounts in records under the settled marks; `undefined` if it was not kept. */
  recordSum(marks: number): Decimal | undefined {
    return this.#sum.total(marks === COMMA ? COMMA : DOT);
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

  #addGroups(scan: AmountScan, example: Example): void {
    const { text, group, mark, start, end } = scan;
    const sign = group === 0 ? text[mark] : String.fromCharCode(group);
    const bit = sign === "." ? DOT : sign === "," ? COMMA : 0;
    if (scan.isAmbiguous()) this.lone[bit] ??= example;
    else if (group !== 0 && bit !== 0) this.grouping[bit] ??= example;
    else if (group !== 0 || (mark === -1 ? end : mark) - start >= LEAST_UNGROUPED) this.ungrouped ??= example;
  }

  #addTooFine(scan: AmountScan, example: Example): void {
    if (this.scale === undefined || this.pinned !== ANY_MARK) return;
    for (const mark of MARKS)
      if (checkScale(scan, mark, this.scale, undefined) !== undefined) this.tooFine[mark] ??= example;
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
  const tooFine = isSingleMark(marks) ? evidence.tooFine[marks] : undefined;
  if (tooFine !== undefined) {
    const text = `has more than ${evidence.scale} decimals with the ${markName(marks)}, settled by ${settledBy}`;
    return doubtAbout("too-many-decimals", column, tooFine, text, [`--type ${column.field}=amount`]);
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
  const { marks, excluding, lone } = amounts.evidence;
  if (marks === 0) return doubtContradiction(amounts);
  const proof = excluding[ANY_MARK & ~marks];
  if (proof !== undefined)
    return doubtLoneGroup(amounts) ?? { marks, settledBy: showExample(proof), inferred: true };
  const ambiguous = inOrder([lone[DOT], lone[COMMA]]);
  if (ambiguous.length === 0) return { marks, settledBy: undefined, inferred: false };
  const readings = ambiguous.map(
    (example) =>
      `${showExample(example)} is ${COMMA_FIRST.map((mark) => readUnder(example.value, mark)).join(" or ")}`,
  );
  return doubtMark("ambiguous-amount", amounts, ambiguous[0]!.line, readings.join(", and "));
}

function inOrder(examples: readonly (Example | undefined)[]): Example[] {
  return examples.filter((example) => example !== undefined).toSorted((one, other) => one.line - other.line);
}

function ownMark({ column, evidence }: AmountColumn, mark: number): string {
  const scale = evidence.scale === undefined ? {} : { scale: evidence.scale };
  return `--type ${column.field}=${spellType({ kind: "amount", ...scale, decimal: markSign(mark) })}`;
}

/** A cell such as `1.459` beside `12,50`, unless the column consistently groups by its sign. */
function doubtLoneGroup(amounts: AmountColumn): ColumnDoubt | undefined {
  const { marks, lone, grouping, ungrouped } = amounts.evidence;
  const sign = ANY_MARK & ~marks;
  const example = lone[sign];
  if (example === undefined || (grouping[sign] !== undefined && ungrouped === undefined)) return undefined;
  const [grouped, decimal] = [marks, sign].map((under) => readUnder(example.value, under));
  const why =
    ungrouped === undefined
      ? "no other cell of the column groups by its sign"
      : `${showExample(ungrouped)} does not group by its sign`;
  const text = `is ${grouped} or ${decimal}, and ${why}`;
  const written = example.value.replace(/[.,]/, markSign(marks));
  const options = [
    `${ownMark(amounts, marks)} reads ${grouped}; for ${decimal} write ${written} in the file`,
  ];
  return doubtAbout("lone-group", amounts.column, example, text, options);
}

function readUnder(value: string, mark: number): string {
  const scan = new AmountScan();
  scanAmount(value, scan);
  const amount = writeUnder(mark, scan, undefined);
  return typeof amount === "string" ? amount : value;
}

function doubtContradiction(amounts: AmountColumn): ColumnDoubt {
  const point = amounts.evidence.excluding[COMMA]!;
  const comma = amounts.evidence.excluding[DOT]!;
  const text = `${showExample(point)} has a decimal point and ${showExample(comma)} a decimal comma; whichever is named, rows with the other are invalid`;
  return doubtMark("contradicting-amounts", amounts, Math.min(point.line, comma.line), text);
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
