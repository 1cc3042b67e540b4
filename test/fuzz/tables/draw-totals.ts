import type { Draw } from "../../chaos/random.ts";
import type { ColumnMaker } from "./draw-rows.ts";
import type { DrawnLine } from "./drawn-table.ts";
import type { Language } from "./languages.ts";
import { writeAmount } from "./write-values.ts";

/** The columns and rows that are summed: from `first` to before `end`. */
export interface Summed {
  readonly draw: Draw;
  readonly language: Language;
  readonly makers: readonly ColumnMaker[];
  readonly first: number;
  readonly end: number;
}

/** The rows of totals below a table: one total, several, or other amounts that belong to no row. */
export function drawTotals(summed: Summed): DrawnLine[] {
  const { draw, language } = summed;
  const label = (): string => draw.oneOf(language.totals);
  const balance = (): string => draw.oneOf(language.balances);
  switch (draw.oneOf(["one", "one", "bare", "taxes", "balance", "several"] as const)) {
    case "one":
      return [sumLine(summed, label())];
    case "bare":
      return countAmounts(summed) > 1 ? [sumLine(summed, "")] : [sumLine(summed, label())];
    case "taxes":
      return [sumLine(summed, label()), sumLine(summed, balance(), 0.2), sumLine(summed, label(), 1.2)];
    case "balance":
      return [sumLine(summed, balance(), draw.between(1, 300) / 100)];
    case "several":
      return Array.from({ length: draw.between(2, 4) }, (_, at) =>
        sumLine(summed, at === 0 ? label() : balance(), at === 0 ? 1 : draw.between(1, 300) / 100),
      );
  }
}

/** The sum of a group of rows, labelled with the group's name, a word or nothing. */
export function drawSubtotal(summed: Summed): DrawnLine {
  const { draw, language } = summed;
  const word = draw.oneOf(language.subtotals);
  const group = draw.oneOf(language.clients).split(/[,;]/)[0]!;
  const isNamed = draw.percent(40);
  const isBare = draw.percent(20) && countAmounts(summed) > 1;
  return sumLine(summed, isNamed ? `${word} ${group}` : isBare ? "" : word);
}

/** The most amounts of one column in the summed rows: a sum of one amount cannot be told without a word. */
export function countAmounts({ makers, first, end }: Summed): number {
  const counts = makers.map(
    ({ units }) => [...units].filter(([at, amount]) => at >= first && at < end && amount !== 0).length,
  );
  return Math.min(...counts.filter((_, at) => makers[at]!.style !== undefined));
}

/** A row with the sums of all columns of amounts, or of one, times a factor. */
function sumLine({ draw, language, makers, first, end }: Summed, label: string, factor = 1): DrawnLine {
  const cells = makers.map(() => "");
  let word = label;
  const amounts = makers.flatMap((maker, at) => (maker.style === undefined ? [] : [at]));
  // Without a word only a declared column of amounts shows that it is a sum.
  const chosen = label === "" || draw.percent(70) ? amounts : [draw.oneOf(amounts)];
  for (const at of chosen) {
    const { units, style } = makers[at]!;
    let sum = 0;
    for (const [row, amount] of units) if (row >= first && row < end) sum += amount;
    cells[at] = writeAmount(Math.round(sum * factor), style!).written;
    // A zero alone in a row cannot be told as a sum.
    if (sum === 0 && word === "") word = language.totals[0]!;
  }
  const places = cells.flatMap((cell, at) => (cell === "" && at < chosen[0]! ? [at] : []));
  const texts = places.filter((at) => ["key", "text"].includes(makers[at]!.column.kind));
  if (word !== "" && places.length > 0) {
    cells[draw.oneOf([places[0]!, places[0]!, places.at(-1)!, ...texts])] = word;
  } else if (word !== "") {
    // The amount is in the first column: the label goes to its right, if there is room.
    const room = cells.findIndex((cell, at) => cell === "" && at > chosen[0]!);
    if (room !== -1) cells[room] = word;
  }
  return { kind: "total", cells };
}
