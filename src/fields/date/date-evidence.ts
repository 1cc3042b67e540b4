import type { AddAlike } from "../../kernel/evidence.ts";
import type { Cell } from "../../model/rows.ts";
import { quoteText } from "../../model/text.ts";
import { listSome } from "../columns/column-faults.ts";
import {
  type AgreedOrder,
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
  ANY_ORDER,
  type DateRules,
  dateUnder,
  DMY,
  formatOption,
  formatOrders,
  isSingle,
  MDY,
  orderFormat,
  ORDERS,
  scanDate,
  scanDateCell,
  ScannedDate,
  YMD,
} from "./date.ts";
import { type PackedDate, spellDate, USUAL_PIVOT } from "./calendar.ts";

/** Pairs of orders, by the bits of both. */
const PAIRS = [DMY | MDY, DMY | YMD, MDY | YMD] as const;
const YEAR = 10_000;
const CENTURY = 100 * YEAR;

/** A cell with the date that it has under one order. */
interface DatedCell extends Example {
  readonly date: PackedDate;
}

/**
 * Evidence from a column of dates about its order and its time zones: sets of orders, and the first cell that proves
 * each.
 *
 * Day, month and a year of two digits may stand in three orders. An order is left out only if a cell is no day of the
 * calendar under it.
 */
export class DateEvidence implements ColumnEvidence {
  /** The rules that options pinned; `undefined` if the order has to be found. */
  readonly pinned: DateRules | undefined;
  /** The pivot year that options pinned. */
  readonly pivotYear: number | undefined;
  /** The orders that all cells so far leave open. */
  orders = ANY_ORDER;
  /** The orders under which some cell, whose form allows them, is an impossible date: proof by value, not by form. */
  disproved = 0;
  /** The first cell with a zone, and the first with a time other than midnight. */
  zoned: Example | undefined;
  timed: Example | undefined;
  /** `--time-zone`. */
  readonly timeZone: string | undefined;
  readonly #field: string;
  readonly #horizon: PackedDate;
  /** The first cell that excludes an order, by its bit. */
  readonly #excluding: (Example | undefined)[] = [];
  /** The first cell that two orders read differently, by their bits. */
  readonly #differing: (Example | undefined)[] = [];
  /** By order: the earliest date more than a year ahead whose year has two digits. */
  readonly #ahead: (DatedCell | undefined)[] = [];

  /** `today`: years of two digits are certain up to a year after it. */
  constructor(
    type: Extract<FieldType, { kind: "date" }>,
    pins: FormatPins,
    field: string,
    today: PackedDate,
  ) {
    const format = type.format ?? pins.dateFormat;
    this.pivotYear = type.pivotYear ?? pins.pivotYear;
    const pivotYear = this.pivotYear ?? USUAL_PIVOT;
    const rest = { isPinned: true, pivotYear, timeZone: undefined, zone: "written", field } as const;
    this.pinned = format === undefined ? undefined : { ...rest, format, orders: formatOrders(format) };
    this.timeZone = pins.timeZone;
    this.#field = field;
    this.#horizon = today + YEAR;
  }

  take(cell: Cell, line: number): string | Unreadable {
    const scan = this.#read(cell);
    if (!(scan instanceof ScannedDate)) return scan;
    const example = { line, value: scan.text };
    if (scan.hasZone()) this.zoned ??= example;
    if (scan.isTimed()) this.timed ??= example;
    if (scan.form !== 0) this.#addOrders(scan, example);
    if (scan.isShort) this.#addShortYear(scan, example);
    return NOT_YET_KNOWN;
  }

  /** A date that came before is no new evidence. */
  alike(): AddAlike {
    return "nothing";
  }

  settle(column: TypedColumn, agreed: AgreedOrder | undefined): ColumnFormat | ColumnDoubt {
    return settleDates(column, this, agreed);
  }

  /** For each of the given orders, the first cell that excludes it, if there is one. */
  excluding(orders: number): Example[] {
    const examples = ORDERS.filter((order) => (orders & order) !== 0).map((order) => this.#excluding[order]);
    return examples.filter((example) => example !== undefined);
  }

  /** The cell after which only one order was left. */
  proof(): Example | undefined {
    return isSingle(this.orders)
      ? this.excluding(ANY_ORDER).toSorted((one, other) => other.line - one.line)[0]
      : undefined;
  }

  /** The first cell on which two of the remaining orders disagree. */
  disagreement(): Example | undefined {
    for (const pair of PAIRS) {
      const example = (pair & this.orders) === pair ? this.#differing[pair] : undefined;
      if (example !== undefined) return example;
    }
    return undefined;
  }

  /** The earliest date of two digits far ahead, under any of the orders. */
  firstAhead(orders: number): DatedCell | undefined {
    const cells = ORDERS.flatMap((order) => ((orders & order) === 0 ? [] : (this.#ahead[order] ?? [])));
    return cells.toSorted((one, other) => one.date - other.date)[0];
  }

  #read(cell: Cell): ScannedDate | Unreadable {
    const field = this.#field;
    const scan = scanDateCell(cell, this.pinned ?? { pivotYear: this.pivotYear, field });
    if (!(scan instanceof ScannedDate)) return scan;
    if (this.pinned !== undefined) {
      const date = dateUnder(scan, this.pinned);
      return typeof date === "number" ? scan : date;
    }
    if (scan.form === 0 || scan.possibleOrders() !== 0) return scan;
    const hint = formatOption("YY-MM-DD", field);
    return { reason: "it is a date only if its year comes first", hint };
  }

  #addOrders(scan: ScannedDate, example: Example): void {
    const possible = scan.possibleOrders();
    const excluded = ANY_ORDER & ~possible;
    this.orders &= possible;
    this.disproved |= excluded & scan.form;
    for (const order of ORDERS) if ((excluded & order) !== 0) this.#excluding[order] ??= example;
    for (const pair of PAIRS) {
      const [one, other] = ORDERS.filter((order) => (pair & order) !== 0);
      const isOpen = (pair & possible) === pair && scan.under(one!) !== scan.under(other!);
      if (isOpen) this.#differing[pair] ??= example;
    }
  }

  #addShortYear(scan: ScannedDate, example: Example): void {
    for (const order of ORDERS) {
      const date = scan.under(order);
      const isAhead = date > this.#horizon && date < (this.#ahead[order]?.date ?? Infinity);
      if (isAhead) this.#ahead[order] = { ...example, date };
    }
  }
}

interface SettledOrder {
  readonly orders: number;
  readonly settledBy: string | undefined;
  readonly inferred: boolean;
}

/** Settles one column: by its pin, by its own cells, else by the other date columns of the file. */
function settleDates(
  column: TypedColumn,
  evidence: DateEvidence,
  agreed: AgreedOrder | undefined,
): ColumnFormat | ColumnDoubt {
  const { pinned, zoned, timeZone } = evidence;
  const order = settleOrder(column, evidence, agreed);
  if ("code" in order) return order;
  const { orders, settledBy, inferred } = order;
  // If no order is left, as with serials, all dates read so far need none.
  const ahead =
    evidence.pivotYear === undefined ? evidence.firstAhead(orders === 0 ? DMY : orders) : undefined;
  if (ahead !== undefined) return doubtCentury(column, ahead);
  const zone = zoneOf(evidence);
  if (zone === undefined) return doubtZone(column, zoned!);
  const format = pinned?.format ?? (isSingle(orders) ? orderFormat(orders) : undefined);
  const pivotYear = evidence.pivotYear ?? USUAL_PIVOT;
  const isPinned = pinned !== undefined;
  const { field } = column;
  const spec = { kind: "date", orders, isPinned, pivotYear, format, timeZone, zone, field } as const;
  if (format !== undefined || zoned === undefined) return { format, settledBy, inferred, spec };
  return zone === "convert"
    ? { format: "dates in the time zone", settledBy: "--time-zone", inferred: false, spec }
    : { format: "dates as written", settledBy: "every time in it is midnight", inferred: false, spec };
}

function settleOrder(
  column: TypedColumn,
  evidence: DateEvidence,
  agreed: AgreedOrder | undefined,
): SettledOrder | ColumnDoubt {
  const { orders, pinned } = evidence;
  if (pinned !== undefined) {
    const isOwn = column.type.kind === "date" && column.type.format !== undefined;
    return { orders: pinned.orders, settledBy: isOwn ? "--type" : "--date-format", inferred: false };
  }
  if (orders === 0) return doubtContradiction(column, evidence);
  const proof = evidence.proof();
  if (proof !== undefined) return { orders, settledBy: showExample(proof), inferred: true };
  const disagreement = evidence.disagreement();
  if (disagreement === undefined) return { orders, settledBy: undefined, inferred: false };
  // Other columns decide for this one only if their values exclude each order that this column still allows.
  const isAgreed =
    agreed !== undefined &&
    (agreed.orders & orders) !== 0 &&
    (orders & ~agreed.orders & ~agreed.disproved) === 0;
  if (isAgreed) return { orders: agreed.orders, settledBy: agreed.settledBy, inferred: true };
  return doubtOrder(column, disagreement, evidence);
}

/**
 * The order of the columns that have proof, for those without; `undefined` if they disagree or there are none. A column
 * whose form never allowed an order does not object to it; a pinned column without proof cannot decide, but can object.
 */
export function agreeOnOrder(all: readonly TypedColumn[]): AgreedOrder | undefined {
  const proven: string[] = [];
  let orders = 0;
  let disproved = 0;
  for (const { evidence, name } of all) {
    if (!(evidence instanceof DateEvidence)) continue;
    const pinned = evidence.pinned === undefined ? 0 : formatOrders(evidence.pinned.format ?? "excel");
    const hasProof =
      isSingle(evidence.orders) && (evidence.pinned === undefined || evidence.orders === pinned);
    const vote = hasProof ? evidence.orders : pinned;
    if (vote === 0) continue;
    if (orders !== 0 && vote !== orders) return undefined;
    orders = vote;
    if (!hasProof) continue;
    proven.push(quoteText(name));
    disproved |= evidence.disproved;
  }
  if (proven.length === 0) return undefined;
  const settledBy = `the ${proven.length === 1 ? "column" : "columns"} ${listSome(proven)}`;
  return { orders, disproved, settledBy };
}

/** The rule for moments; `undefined` if only `--time-zone` can give it. */
function zoneOf({ zoned, timed, timeZone }: DateEvidence): DateRules["zone"] | undefined {
  if (zoned === undefined) return "refuse";
  if (timed === undefined) return "written";
  return timeZone === undefined ? undefined : "convert";
}

function doubtZone(column: TypedColumn, zoned: Example): ColumnDoubt {
  const text = "is a moment, whose date depends on the time zone";
  return doubtAbout("missing-time-zone", column, zoned, text, ["--time-zone Europe/Paris"]);
}

function doubtContradiction(column: TypedColumn, evidence: DateEvidence): ColumnDoubt {
  const examples = evidence
    .excluding(ANY_ORDER)
    .toSorted((one, other) => one.line - other.line || (one.value < other.value ? -1 : 1));
  const shown = [...new Set(examples.map(showExample))];
  const text = `${shown.join(" and ")} have no order of day, month and year in common`;
  const orders = ORDERS.filter((order) => (order & evidence.disproved) !== 0);
  const options = orderOptions(column, orders);
  return { code: "contradicting-dates", column, line: examples[0]?.line ?? 0, text, options };
}

function doubtCentury(column: TypedColumn, ahead: DatedCell): ColumnDoubt {
  const before = ahead.date - CENTURY;
  const text = `is ${spellDate(before)} or ${spellDate(ahead.date)}`;
  const options = [Math.trunc(before / YEAR), USUAL_PIVOT].map(
    (pivotYear) => `--type ${column.field}=${spellType({ ...column.type, kind: "date", pivotYear })}`,
  );
  return doubtAbout("open-century", column, ahead, text, options);
}

/** The doubt about a cell that the possible orders read differently, with all its readings. */
function doubtOrder(column: TypedColumn, example: Example, { orders, pivotYear }: DateEvidence): ColumnDoubt {
  const scan = scanDate(example.value, { pivotYear });
  const readings = new Map<PackedDate, number>();
  for (const order of ORDERS) {
    const date = (order & orders) === 0 || !(scan instanceof ScannedDate) ? 0 : scan.under(order);
    if (date !== 0 && !readings.has(date)) readings.set(date, order);
  }
  const text = `is ${[...readings.keys()].map(spellDate).join(" or ")}`;
  return doubtAbout("ambiguous-date", column, example, text, orderOptions(column, [...readings.values()]));
}

/** The options that each pin one of these orders for the column. */
function orderOptions({ field, type }: TypedColumn, orders: readonly number[]): readonly string[] {
  return orders.map(
    (order) => `--type ${field}=${spellType({ ...type, kind: "date", format: orderFormat(order) })}`,
  );
}
