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
import {
  type DateFormat,
  type FieldType,
  type FormatPins,
  spellType,
  type Unreadable,
} from "../type-text.ts";
import {
  ANY_ORDER,
  dateUnder,
  DMY,
  MDY,
  orderFormat,
  orderOf,
  ORDERS,
  scanDateCell,
  ScannedDate,
  YMD,
} from "./date.ts";
import { type PackedDate, spellDate, USUAL_PIVOT } from "./calendar.ts";

/** Sets of orders under which one cell may have different dates; a question shows a cell of the largest set. */
const SETS = [ANY_ORDER, DMY | MDY, DMY | YMD, MDY | YMD] as const;
const YEAR = 10_000;
const CENTURY = 100 * YEAR;

/** A cell that was read as a date. */
interface DatedCell extends Example {
  readonly scan: ScannedDate;
}

/** A cell whose year of two digits may be far ahead. */
interface AheadCell extends Example {
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
  /** The orders under which some cell, whose form allows them, is an impossible date: proof by value, not by form. */
  disproved = 0;
  /** The orders that all cells so far leave open. */
  orders = ANY_ORDER;
  readonly #pinned: DateFormat | undefined;
  readonly #pivotYear: number | undefined;
  readonly #timeZone: string | undefined;
  readonly #field: string;
  /** Years of two digits are certain up to this day. */
  readonly #horizon: PackedDate;
  /** The cells that each left fewer orders than those before. */
  readonly #narrowing: Example[] = [];
  /** By set of orders: the first cell that each of them reads differently. */
  readonly #differing: (DatedCell | undefined)[] = [];
  /** By order: the earliest date far ahead whose year has two digits. */
  readonly #ahead: (AheadCell | undefined)[] = [];
  /** The first cell with a zone, and the first with a time other than midnight. */
  #zoned: Example | undefined;
  #timed: Example | undefined;

  constructor(
    type: Extract<FieldType, { kind: "date" }>,
    pins: FormatPins,
    field: string,
    today: PackedDate,
  ) {
    this.#pinned = type.format ?? pins.dateFormat;
    this.#pivotYear = type.pivotYear ?? pins.pivotYear;
    this.#timeZone = pins.timeZone;
    this.#field = field;
    this.#horizon = today + YEAR;
  }

  take(cell: Cell, line: number): string | Unreadable {
    const [format, pivotYear] = [this.#pinned, this.#pivotYear];
    const scan = scanDateCell(cell, { format, pivotYear, field: this.#field });
    if (!(scan instanceof ScannedDate)) return scan;
    const date = format === undefined ? undefined : dateUnder(scan, format);
    if (typeof date === "object") return date;
    const found = { line, value: scan.text, scan };
    if (scan.hasZone()) this.#zoned ??= found;
    if (scan.isTimed()) this.#timed ??= found;
    if (scan.form !== 0) this.#addOrders(found);
    if (scan.isShort) this.#addShortYear(found);
    return NOT_YET_KNOWN;
  }

  /** A date that came before is no new evidence. */
  alike(): AddAlike {
    return "nothing";
  }

  /** Settles the column: by its pin, by its own cells, else by the other date columns of the file. */
  settle(column: TypedColumn, agreed: AgreedOrder | undefined): ColumnFormat | ColumnDoubt {
    const order = this.#settleOrder(column, agreed);
    if ("code" in order) return order;
    const { reads, ...settled } = order;
    const ahead = this.#pivotYear === undefined ? this.#ahead[orderOf(reads) || DMY] : undefined;
    if (ahead !== undefined) return doubtCentury(column, ahead);
    const isMoment = this.#zoned !== undefined && this.#timed !== undefined;
    if (isMoment && this.#timeZone === undefined) {
      const text = "is a moment, whose date depends on the time zone";
      return doubtAbout("missing-time-zone", this.#zoned!, text, ["--time-zone Europe/Paris"]);
    }
    const timeZone = isMoment ? this.#timeZone : undefined;
    const pivotYear = this.#pivotYear ?? USUAL_PIVOT;
    const spec = { kind: "date", format: reads, pivotYear, timeZone, field: this.#field } as const;
    if (settled.format !== undefined || this.#zoned === undefined) return { ...settled, spec };
    return isMoment
      ? { format: "dates in the time zone", settledBy: "--time-zone", inferred: false, spec }
      : { format: "dates as written", settledBy: "every time in it is midnight", inferred: false, spec };
  }

  /** The order that counts when the columns of a file agree on one: its pin, or the only one that its cells leave. */
  get vote(): number {
    const pinned = this.#pinned === undefined ? 0 : orderOf(this.#pinned);
    return pinned || (this.isProven ? this.orders : 0);
  }

  /** True if the cells leave one order. */
  get isProven(): boolean {
    return ORDERS.some((order) => order === this.orders);
  }

  /** `reads`: the format for the reader; `format`: the one to show, if it had to be settled. */
  #settleOrder(column: TypedColumn, agreed: AgreedOrder | undefined): SettledOrder | ColumnDoubt {
    const { orders } = this;
    const pinned = this.#pinned;
    if (pinned !== undefined) {
      const isOwn = column.type.kind === "date" && column.type.format !== undefined;
      return {
        reads: pinned,
        format: pinned,
        settledBy: isOwn ? "--type" : "--date-format",
        inferred: false,
      };
    }
    if (orders === 0) return this.#doubtContradiction(column);
    const settle = (order: number, settledBy: string): SettledOrder => {
      const format = orderFormat(order);
      return { reads: format, format, settledBy, inferred: true };
    };
    if (this.isProven) return settle(orders, showExample(this.#narrowing.at(-1)!));
    // Any of the orders will do if no cell shows a difference.
    const open = SETS.find((set) => (set & orders) === set && this.#differing[set] !== undefined);
    if (open === undefined) return { reads: orderFormat(orders & -orders), inferred: false };
    // Other columns decide for this one only if their values exclude each order that this column still allows.
    if (agreed !== undefined && (orders & ~agreed.disproved) === agreed.orders)
      return settle(agreed.orders, agreed.settledBy);
    return this.#doubtOrder(column, this.#differing[open]!);
  }

  #addOrders(found: DatedCell): void {
    const { scan } = found;
    const possible = scan.possibleOrders();
    if ((this.orders & ~possible) !== 0) this.#narrowing.push(found);
    this.orders &= possible;
    this.disproved |= scan.form & ~possible;
    for (const set of SETS) {
      if (this.#differing[set] !== undefined || (set & possible) !== set) continue;
      const among = ORDERS.filter((order) => (set & order) !== 0);
      if (new Set(among.map((order) => scan.under(order))).size === among.length)
        this.#differing[set] = found;
    }
  }

  #addShortYear({ scan, line, value }: DatedCell): void {
    for (const order of ORDERS) {
      const date = scan.under(order);
      if (date > this.#horizon && date < (this.#ahead[order]?.date ?? Infinity))
        this.#ahead[order] = { line, value, date };
    }
  }

  #doubtContradiction(column: TypedColumn): ColumnDoubt {
    const text = `${this.#narrowing.map(showExample).join(" and ")} have no order of day, month and year in common`;
    const orders = ORDERS.filter((order) => (order & this.disproved) !== 0);
    const options = orderOptions(column, orders);
    return { code: "contradicting-formats", line: this.#narrowing[0]!.line, text, options };
  }

  /** The doubt about a cell that the possible orders read differently. An order that reads it like another is offered too. */
  #doubtOrder(column: TypedColumn, found: DatedCell): ColumnDoubt {
    const orders = ORDERS.filter((order) => (order & this.orders) !== 0);
    const dates = new Set(orders.map((order) => found.scan.under(order)));
    const more = dates.size < orders.length ? ", and other cells may have a third reading" : "";
    const text = `is ${[...dates].map(spellDate).join(" or ")}${more}`;
    return doubtAbout("ambiguous-date", found, text, orderOptions(column, orders));
  }
}

interface SettledOrder extends Omit<ColumnFormat, "spec"> {
  readonly reads: DateFormat;
}

/**
 * The order of the columns that have proof, for those without; `undefined` if they disagree or there are none. A column
 * whose form never allowed an order does not object to it; a pinned column without proof cannot decide, but can object.
 */
export function agreeOnOrder(all: readonly TypedColumn[]): AgreedOrder | undefined {
  const proven: string[] = [];
  let orders = ANY_ORDER;
  let disproved = 0;
  for (const { evidence, name } of all) {
    if (!(evidence instanceof DateEvidence) || evidence.vote === 0) continue;
    orders &= evidence.vote;
    if (!evidence.isProven) continue;
    proven.push(quoteText(name));
    disproved |= evidence.disproved;
  }
  if (proven.length === 0 || orders === 0) return undefined;
  const settledBy = `the ${proven.length === 1 ? "column" : "columns"} ${listSome(proven)}`;
  return { orders, disproved, settledBy };
}

function doubtCentury(column: TypedColumn, ahead: AheadCell): ColumnDoubt {
  const before = ahead.date - CENTURY;
  const text = `is ${spellDate(before)} or ${spellDate(ahead.date)}`;
  const options = [Math.trunc(before / YEAR), USUAL_PIVOT].map(
    (pivotYear) => `--type ${column.field}=${spellType({ ...column.type, kind: "date", pivotYear })}`,
  );
  return doubtAbout("open-century", ahead, text, options);
}

/** The options that each pin one of these orders for the column. */
function orderOptions({ field, type }: TypedColumn, orders: readonly number[]): readonly string[] {
  return orders.map(
    (order) => `--type ${field}=${spellType({ ...type, kind: "date", format: orderFormat(order) })}`,
  );
}
