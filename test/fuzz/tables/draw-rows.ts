import type { Draw } from "../../chaos/random.ts";
import type { DrawnColumn, DrawnValue } from "./drawn-table.ts";
import type { Language } from "./languages.ts";
import {
  drawAmountStyle,
  drawDate,
  drawDateStyle,
  writeAmount,
  writeDigits,
  type AmountStyle,
} from "./write-values.ts";

/** A column and how its values are drawn. */
export interface ColumnMaker {
  readonly column: DrawnColumn;
  /** How many of a hundred rows leave it blank. */
  readonly blanks: number;
  readonly draw: (at: number) => DrawnValue;
  /** For amounts: how they are written. */
  readonly style?: AmountStyle;
  /** For amounts: the units of each row, by its position. */
  readonly units: Map<number, number>;
}

/** The choices that all columns of a table share. */
interface TableStyle {
  readonly draw: Draw;
  readonly language: Language;
}

/** Words that other systems export in place of a missing key. */
export const NO_KEYS = ["NA", "N/A", "-", "--", "?", "<NA>", "NaT", "NULL", "(vide)", "néant", "#N/A"];

/** The columns of a table, and how it writes dates and amounts. */
interface DrawnColumns {
  readonly makers: ColumnMaker[];
  readonly dateFormat: string;
  readonly decimal: string;
}

const DATE_FORMATS: Readonly<Record<string, string>> = {
  DMY: "DD/MM/YYYY",
  DMY2: "DD/MM/YYYY",
  MDY: "MM/DD/YYYY",
  YMD2: "YY-MM-DD",
};

/** Draws the columns of one table. */
export function drawColumns(style: TableStyle): DrawnColumns {
  const { draw, language } = style;
  const isWide = draw.percent(70);
  const makers: ColumnMaker[] = [];
  const sparse = draw.percent(40);
  const blanks = (share: number): number => (sparse ? share : 0);
  const dates = drawDateStyle(draw);
  const isComma = language.name === "en" ? draw.percent(10) : draw.percent(85);
  const add = (
    column: DrawnColumn,
    share: number,
    make: (at: number) => DrawnValue,
    amounts?: AmountStyle,
  ): void => {
    makers.push({ column, blanks: share, draw: make, units: new Map(), ...(amounts && { style: amounts }) });
  };
  if (draw.percent(82)) add(named("cle", "key", draw), draw.percent(15) ? 30 : 0, drawKeys(style));
  if (draw.percent(75)) add(named("num_commande", "digits", draw), blanks(20), drawNumbers(style, 551_035));
  const lastYear = draw.between(2012, 2026);
  const years = [lastYear - draw.oneOf([0, 0, 0, 1, 1, 2, 10]), lastYear] as const;
  const date = (): DrawnValue => drawDate(draw, dates, years);
  if (draw.percent(80)) add(named("date_billed", "date", draw), blanks(10), date);
  // In a column that nobody declared a moment is a text, and eight digits are a date only under some names.
  const order = dates.order === "compact" ? "YMD" : dates.order;
  const day = (): DrawnValue => drawDate(draw, { ...dates, order, time: "" }, years);
  const text = (items: readonly string[]) => (): DrawnValue => same(draw.oneOf(items));
  if (draw.percent(60)) add(other(language, 0), blanks(10), text(language.clients));
  const amount = (): AmountStyle => drawAmountStyle(draw, isComma);
  const first = amount();
  add(named("actual_billable_amount", "amount", draw), blanks(15), amounts(style, first), first);
  if (isWide) {
    if (draw.percent(50))
      add(named("num_invoice", "digits", draw), blanks(60), drawNumbers(style, 16_000_162));
    if (draw.percent(50)) add(named("date_closed", "date", draw), blanks(60), date);
    if (draw.percent(30)) add(other(language, 1), blanks(30), text(language.cities));
    if (draw.percent(30)) add(other(language, 2), blanks(70), text(language.notes));
    if (draw.percent(20)) add(other(language, 3), blanks(20), () => same(String(draw.between(1, 40))));
    if (draw.percent(20)) add(other(language, 4, "date"), blanks(40), day);
    const tax = amount();
    if (draw.percent(20)) add(other(language, 5, "amount"), blanks(20), amounts(style, tax), tax);
  }
  if (makers.length === 1) add(named("num_commande", "digits", draw), 0, drawNumbers(style, 551_035));
  if (draw.percent(25)) shuffle(makers, draw);
  return { makers, dateFormat: DATE_FORMATS[dates.order] ?? "YYYY-MM-DD", decimal: isComma ? "," : "." };
}

function amounts({ draw }: TableStyle, { decimals }: AmountStyle): (at: number) => DrawnValue {
  const most = draw.oneOf([9_000, 2_000_000, 90_000_000]);
  const credits = draw.percent(25) ? 15 : 0;
  const isRound = draw.percent(20);
  return () => {
    const scale = 10 ** decimals;
    const units = isRound ? draw.between(1, 40) * 50 * scale : draw.between(1, most);
    // The caller writes it in the style of its column.
    return same(String(draw.percent(credits) ? -units : units));
  };
}

/** The value of a row in a column; the units of an amount are noted for totals. */
export function drawValue(maker: ColumnMaker, at: number): DrawnValue {
  const value = maker.draw(at);
  if (maker.style === undefined) return value;
  const units = Number(value.right);
  maker.units.set(at, units);
  return writeAmount(units, maker.style);
}

function drawKeys({ draw }: TableStyle): (at: number) => DrawnValue {
  const first = draw.between(100, 90_000);
  const prefix = draw.oneOf(["F", "C-", "", "A", "FR", "cmd/"]);
  const words = draw.percent(4);
  return (at) => same(words ? `K${"abcdefghij"[at % 10]}${"klmnop"[at % 6]}` : `${prefix}${first + at}`);
}

function drawNumbers({ draw }: TableStyle, first: number): (at: number) => DrawnValue {
  const styles = ["plain", "plain", "plain", "formula", "apostrophe", "grouped"] as const;
  const style = draw.oneOf(styles);
  const zeros = draw.percent(10);
  return (at) => writeDigits(`${zeros ? "00" : ""}${first + at}`, style);
}

function named(field: string, kind: DrawnColumn["kind"], draw: Draw): DrawnColumn {
  const spelt = field.replaceAll("_", " ");
  const header = draw.percent(70)
    ? field
    : draw.oneOf([field.toUpperCase(), spelt, spelt.toUpperCase(), field === "cle" ? "Clé" : ` ${spelt} `]);
  return { kind, header, declared: field };
}

function other(language: Language, at: number, kind: DrawnColumn["kind"] = "text"): DrawnColumn {
  return { kind, header: language.headers[at]!, declared: undefined };
}

function same(text: string): DrawnValue {
  return { written: text, right: text };
}

function shuffle(items: ColumnMaker[], draw: Draw): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = draw.between(0, at);
    [items[at], items[other]] = [items[other]!, items[at]!];
  }
}
