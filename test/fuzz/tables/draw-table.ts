import type { Draw } from "../../chaos/random.ts";
import { type ColumnMaker, drawColumns, drawValue, NO_KEYS } from "./draw-rows.ts";
import type { DrawnLine, DrawnTable } from "./drawn-table.ts";
import { type Language, LANGUAGES } from "./languages.ts";
import { writeAmount } from "./write-values.ts";

/** The columns and rows that are summed: from `first` to before `end`. */
interface Summed {
  readonly draw: Draw;
  readonly language: Language;
  readonly makers: readonly ColumnMaker[];
  readonly first: number;
  readonly end: number;
}

/** The rows of totals below a table: one total, several, or other amounts that belong to no row. */
function drawTotals(summed: Summed): DrawnLine[] {
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
function drawSubtotal(summed: Summed): DrawnLine {
  const { draw, language } = summed;
  const word = draw.oneOf(language.subtotals);
  const group = draw.oneOf(language.clients).split(/[,;]/)[0]!;
  const isNamed = draw.percent(40);
  const isBare = draw.percent(20) && countAmounts(summed) > 1;
  return sumLine(summed, isNamed ? `${word} ${group}` : isBare ? "" : word);
}

/** The most amounts of one column in the summed rows: a sum of one amount cannot be told without a word. */
function countAmounts({ makers, first, end }: Summed): number {
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

/** Draws a table with anything that exports may have around and between their rows; only the header of a CSV may have faults. */
export function drawTable(draw: Draw, isCsv: boolean): DrawnTable {
  const language = draw.percent(92) ? draw.oneOf(LANGUAGES.slice(0, 7)) : draw.oneOf(LANGUAGES.slice(7));
  const { makers, ...written } = drawColumns({ draw, language });
  const oddities: string[] = [];
  const isOdd = (oddity: string, percent: number): boolean => {
    if (!draw.percent(percent)) return false;
    oddities.push(oddity);
    return true;
  };
  const rows = draw.oneOf([1, 2, 2, 3, 4, 5, 7, 10, 14, 20, 30, 45]);
  const lines: DrawnLine[] = [];
  if (isOdd("titles", 35)) lines.push(...drawTitles(draw, language, makers.length));
  const fault = isCsv && isOdd("header", 10) ? drawHeaderFault(draw, makers.length) : undefined;
  if (fault !== undefined) oddities.push(fault);
  const proper = makers.map(({ column }) => column.header);
  const header = spoilHeader(draw, proper, fault);
  const names = { kind: "header", cells: header } as const;
  const late = fault === "late" && rows > 1 ? draw.between(1, rows - 1) : 0;
  if (fault !== "none" && late === 0) lines.push(names);
  if (isOdd("rule below the header", 3)) {
    lines.push({ kind: "remark", cells: header.map((name) => "-".repeat(Math.max(3, name.length))) });
  }
  const groups = rows > 3 && isOdd("subtotals", 12) ? draw.between(2, 4) : rows;
  const pages = rows > 4 && isOdd("repeated header", 5) ? draw.between(2, 5) : rows;
  const gaps = isOdd("blank rows", 6);
  const hasNoKeys = makers.some(({ column }) => column.kind === "key") && isOdd("keys that are none", 3);
  let first = 0;
  for (let at = 0; at < rows; at++) {
    if (at > 0 && at % pages === 0) {
      const again = draw.percent(70) ? header : header.map((name) => name.toUpperCase());
      lines.push({ kind: "remark", cells: again });
    }
    if (late > 0 && at === late) lines.push(names);
    lines.push(drawRow(draw, makers, at, hasNoKeys && draw.percent(20)));
    if (gaps && draw.percent(15)) lines.push(blankLine(draw, makers.length));
    if (groups < rows && (at + 1 - first === groups || at === rows - 1)) {
      const summed = { draw, language, makers, first, end: at + 1 };
      if (countAmounts(summed) === 0) continue;
      lines.push(drawSubtotal(summed));
      first = at + 1;
      if (draw.percent(20)) lines.push(blankLine(draw, makers.length));
    }
  }
  if (countAmounts({ draw, language, makers, first: 0, end: rows }) > 0 && isOdd("totals", 40)) {
    if (draw.percent(25)) lines.push(blankLine(draw, makers.length));
    lines.push(...drawTotals({ draw, language, makers, first: 0, end: rows }));
    if (draw.percent(25)) lines.push(blankLine(draw, makers.length));
  }
  if (isOdd("remarks", 15)) lines.push(...drawRemarks(draw, language, makers.length, rows));
  if (fault === "second") lines.push(...drawSecondTable(draw, makers, header, rows));
  const hasHeader = fault !== "none";
  const columns = makers.map(({ column }, at) =>
    // A column without a name is sent under the one that the user gives it.
    hasHeader && !(fault === "nameless" && names.cells[at] === "")
      ? { kind: column.kind, header: header[at] ?? "", declared: column.declared }
      : { kind: column.kind, header: "", declared: undefined },
  );
  const facts = { ...written, hasHeader };
  // A column without a name and without values needs no question; other faults show in the records.
  const isSeen = fault === undefined || ["nameless", "lost"].includes(fault);
  const mustAsk = !isSeen && (fault !== "late" || late > 0);
  if (fault !== "lost") return { language, columns, lines, oddities, mustAsk, facts };
  // All lines but the header end with an empty cell, so cells that are taken by position may be in the wrong column.
  const wider = lines.map(({ kind, cells, right = [], isInvalid = false }): DrawnLine => {
    const isWider = kind !== "header" && cells.length > 1;
    return { kind, cells: isWider ? [...cells, ""] : cells, right, isInvalid };
  });
  return { language, columns, lines: wider, oddities, mustAsk, facts };
}

/** Faults of a header. */
const HEADER_FAULTS = ["duplicate", "nameless", "none", "late", "second", "lost"] as const;
type HeaderFault = (typeof HEADER_FAULTS)[number];

function drawHeaderFault(draw: Draw, width: number): HeaderFault | undefined {
  return width < 3 ? undefined : draw.oneOf(HEADER_FAULTS);
}

function spoilHeader(draw: Draw, header: readonly string[], fault: HeaderFault | undefined): string[] {
  const spoilt = [...header];
  if (fault === "duplicate") spoilt[spoilt.length - 1] = spoilt[0]!;
  if (fault === "nameless") spoilt[draw.between(0, spoilt.length - 1)] = "";
  if (fault === "lost") spoilt.splice(draw.between(0, spoilt.length - 2), 1);
  return spoilt;
}

/** Another table below: the columns in another order, or fewer of them. */
function drawSecondTable(
  draw: Draw,
  makers: readonly ColumnMaker[],
  header: readonly string[],
  first: number,
): DrawnLine[] {
  const order = header.map((_, at) => at);
  if (draw.percent(50)) order.reverse();
  else order.push(order.shift()!);
  const turn = (cells: readonly string[]): string[] => order.map((at) => cells[at]!);
  const rows = Array.from({ length: draw.between(1, 5) }, (_, at): DrawnLine => ({
    kind: "total",
    cells: turn(drawRow(draw, makers, first + at, false).cells),
  }));
  const blank = draw.percent(50) ? [blankLine(draw, makers.length)] : [];
  return [...blank, { kind: "header", cells: turn(header) }, ...rows];
}

/** The cells of a row; blanks are drawn by each column's share, but never all cells are blank. */
function drawRow(draw: Draw, makers: readonly ColumnMaker[], at: number, isWithoutKey: boolean): DrawnLine {
  const kept = draw.between(0, makers.length - 1);
  const values = makers.map((maker, column) =>
    column !== kept && draw.percent(maker.blanks) ? { written: "", right: "" } : drawValue(maker, at),
  );
  const cells = values.map(({ written }) => written);
  const key = makers.findIndex(({ column }) => column.kind === "key");
  if (isWithoutKey) cells[key] = draw.oneOf(NO_KEYS);
  return { kind: "row", cells, right: values.map(({ right }) => right), isInvalid: isWithoutKey };
}

function drawTitles(draw: Draw, language: Language, width: number): DrawnLine[] {
  const lines: DrawnLine[] = [];
  for (let left = draw.oneOf([1, 1, 2, 3, 4, 6]); left > 0; left--) {
    const date = draw.oneOf(["05/08/2016", "2016-08-05", "5 août 2016"]);
    const label = draw.oneOf(language.labels);
    const cells = draw.oneOf([
      [draw.oneOf(language.titles)],
      [draw.oneOf(language.titles)],
      [label, date],
      [`${label} ${date}`],
      [`${label} : ${draw.oneOf(language.cities)}`],
      [],
    ]);
    const isPadded = draw.percent(40) && cells.length <= width;
    lines.push({ kind: cells.length === 0 ? "blank" : "title", cells: isPadded ? pad(cells, width) : cells });
  }
  return lines;
}

function drawRemarks(draw: Draw, language: Language, width: number, rows: number): DrawnLine[] {
  return Array.from({ length: draw.between(1, 2) }, () => {
    const text = draw.percent(8) ? "\u001a" : draw.oneOf(language.remarks).replace("#", String(rows));
    return { kind: "remark" as const, cells: draw.percent(50) ? pad([text], width) : [text] };
  });
}

function blankLine(draw: Draw, width: number): DrawnLine {
  return { kind: "blank", cells: draw.percent(50) ? [] : pad([], width) };
}

function pad(cells: readonly string[], width: number): string[] {
  return Array.from({ length: width }, (_, at) => cells[at] ?? "");
}
