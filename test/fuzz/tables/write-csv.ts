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
  for (const drawn of table.lines) {
    if (drawn.kind === "row") rows.push({ line, right: drawn.right!, isInvalid: drawn.isInvalid === true });
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
