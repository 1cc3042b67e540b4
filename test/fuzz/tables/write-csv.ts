import iconv from "iconv-lite";
import type { Draw } from "../../chaos/random.ts";
import type { DrawnFile, DrawnLine, DrawnRow, DrawnTable } from "./drawn-table.ts";

/** The style in which a CSV is written. */
interface CsvStyle {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly quoteAll: boolean;
  /** A delimiter after the last cell: of no line, of rows only, or of all lines but the header. */
  readonly surplus: "" | "rows" | "all";
  /** True if titles and blank lines have as many delimiters as rows, as spreadsheets write them. */
  readonly isPadded: boolean;
}

const DELIMITER_WORDS: Readonly<Record<string, string>> = {
  ";": "semicolon",
  ",": "comma",
  "\t": "tab",
  "|": "pipe",
};

/** Writes a drawn table as CSV in some dialect and encoding. */
export function writeCsv(draw: Draw, table: DrawnTable, seed: number): DrawnFile {
  const style: CsvStyle = {
    delimiter: draw.oneOf([";", ";", ";", ",", ",", "\t", "|"]),
    lineEnd: draw.oneOf(["\n", "\n", "\r\n", "\r\n", "\r"]),
    quoteAll: draw.percent(12),
    surplus: draw.oneOf(["", "", "", "", "", "", "", "", "", "rows", "all"]),
    isPadded: draw.percent(30),
  };
  const oddities = [...table.oddities];
  if (style.surplus !== "") oddities.push(`surplus separator: ${style.surplus}`);
  const width = table.columns.length;
  const rows: DrawnRow[] = [];
  let text = draw.percent(3) && style.surplus === "" ? `sep=${style.delimiter}${style.lineEnd}` : "";
  let line = text === "" ? 1 : 2;
  const spoilt = drawSpoiltRow(draw, table, style);
  for (const drawn of table.lines) {
    const { right = [], isInvalid = false } = drawn;
    if (drawn === spoilt) {
      const { how, written, ...row } = spoilRow(draw, drawn, table.columns, style);
      oddities.push(`spoilt row: ${how}`);
      rows.push({ line, ...row });
      text += written + style.lineEnd;
      line += how === "torn" ? 2 : 1;
      continue;
    }
    if (drawn.kind === "row") rows.push({ line, right, isInvalid });
    text += writeLine(drawn, style, width) + style.lineEnd;
    line += 1;
  }
  if (draw.percent(15)) text = text.slice(0, -style.lineEnd.length);
  const { bytes, encoding } = encode(draw, text, table.language.codePages);
  if (encoding !== "utf-8") oddities.push(`encoding ${encoding}`);
  return {
    name: `t${seed}.csv`,
    bytes,
    columns: table.columns,
    rows,
    oddities,
    mustAsk: table.mustAsk,
    facts: { ...table.facts, encoding, delimiter: DELIMITER_WORDS[style.delimiter]! },
  };
}

/** One of the rows in a quarter of the tables whose lines are otherwise as they should be. */
function drawSpoiltRow(draw: Draw, { lines, mustAsk, columns }: DrawnTable, style: CsvStyle) {
  const rows = lines.filter(({ kind, isInvalid }) => kind === "row" && isInvalid !== true);
  if (mustAsk || style.surplus !== "" || columns.length < 3 || rows.length < 3) return undefined;
  return draw.percent(25) ? draw.oneOf(rows) : undefined;
}

const SPOILS = ["separator missing", "separator doubled", "torn", "quote before", "quote inside"] as const;

/** A row with one fault of its line: it must not be sent, but for a quote in a text, which is a character there. */
function spoilRow(
  draw: Draw,
  { cells, right = [] }: DrawnLine,
  columns: DrawnTable["columns"],
  style: CsvStyle,
) {
  const { delimiter, lineEnd } = style;
  const written = cells.map((cell) => writeCell(cell, style));
  const at = draw.between(1, cells.length - 1);
  const cell = written[at]!;
  const isPlain = cell.length > 1 && !cell.includes('"');
  const how = draw.oneOf(isPlain ? SPOILS : SPOILS.slice(0, 2));
  const inside = (text: string): string =>
    `${text.slice(0, text.length >> 1)}"${text.slice(text.length >> 1)}`;
  const [text, gap] = {
    "separator missing": [cell, ""],
    "separator doubled": [cell, delimiter + delimiter],
    torn: [cell.slice(0, 1) + lineEnd + cell.slice(1), delimiter],
    "quote before": [`"${cell}`, delimiter],
    "quote inside": [inside(cell), delimiter],
  }[how];
  return {
    how,
    written: `${written.slice(0, at).join(delimiter)}${gap}${[text, ...written.slice(at + 1)].join(delimiter)}`,
    right: right.map((value, column) => (column === at ? inside(value) : value)),
    isInvalid: how !== "quote inside" || !["key", "text"].includes(columns[at]!.kind),
  };
}

function writeLine({ kind, cells }: DrawnLine, style: CsvStyle, width: number): string {
  const isFull = cells.length >= width;
  const surplus = style.surplus === "all" || (style.surplus === "rows" && kind !== "header");
  const isOfTable = isFull || (style.isPadded && kind !== "title");
  const padded =
    style.isPadded && cells.length < width
      ? Array.from({ length: width }, (_, at) => cells[at] ?? "")
      : [...cells];
  if (surplus && isOfTable) padded.push("");
  return padded.map((cell) => writeCell(cell, style)).join(style.delimiter);
}

function writeCell(cell: string, { delimiter, quoteAll }: CsvStyle): string {
  const needsQuotes = cell.includes(delimiter) || /[\r\n]/.test(cell) || cell.startsWith('"');
  return needsQuotes || quoteAll ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function encode(draw: Draw, text: string, codePages: readonly string[]): { bytes: Buffer; encoding: string } {
  const drawn = draw.between(1, 100);
  if (drawn <= 50) return { bytes: Buffer.from(text), encoding: "utf-8" };
  if (drawn <= 60) return { bytes: Buffer.from(`\ufeff${text}`), encoding: "utf-8" };
  if (drawn <= 66) {
    const encoding = draw.oneOf(["utf-16le", "utf-16be"]);
    return { bytes: iconv.encode(text, encoding, { addBOM: true }), encoding };
  }
  const encoding = drawn <= 80 ? codePages[0]! : draw.oneOf(codePages);
  const bytes = iconv.encode(text, encoding);
  return iconv.decode(bytes, encoding) === text
    ? { bytes, encoding }
    : { bytes: Buffer.from(text), encoding: "utf-8" };
}
