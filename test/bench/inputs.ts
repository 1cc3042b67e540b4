import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDraw, type Draw } from "../chaos/random.ts";
import { workbookOf } from "../support/workbook.ts";

/** One row of the order export, as a French accounting program writes it. */
type BenchRow = readonly [
  key: string,
  order: string,
  billed: string,
  amount: string,
  invoice: string,
  closed: string,
];

/** The header of the export, which also names the members of a record. */
const COLUMNS = [
  "cle",
  "num_commande",
  "date_billed",
  "actual_billable_amount",
  "num_invoice",
  "date_closed",
] as const;

/** Which rows: all with keys, none, or most of them with keys; those from `before` on. */
interface RowsKind {
  readonly keys?: "all" | "none";
  readonly before?: number;
}

/** The date of each row whose number this divides: it settles where the day is in dates. */
const SETTLES = 50;
const WITHOUT_KEY_PERCENT = 5;

/** The same rows for the same numbers, on every machine, whatever file they are in. */
function* makeRows(count: number, { keys, before = 0 }: RowsKind = {}): Generator<BenchRow> {
  for (let index = before; index < before + count; index += 1) {
    const draw = createDraw(20_160_705 + index);
    const settles = index % SETTLES === 0;
    const hasKey = keys === undefined ? settles || !draw.percent(WITHOUT_KEY_PERCENT) : keys === "all";
    const rest = String(draw.between(0, 999)).padStart(3, "0");
    yield [
      hasKey ? `C${String(index).padStart(7, "0")}` : "",
      String(551_035 + index),
      settles ? "25/07/2016" : drawDate(draw),
      `${draw.between(1, 9)} ${rest},50`,
      String(16_000_162 + index),
      drawDate(draw),
    ];
  }
}

function drawDate(draw: Draw): string {
  const [day, month] = [draw.between(1, 28), draw.between(1, 12)];
  return `${String(day).padStart(2, "0")}/${String(month).padStart(2, "0")}/2016`;
}

/** How an input is written: `csv` quotes amounts and separates by commas. */
export type InputFormat = "csv" | "json" | "ndjson" | "xlsx";

/** A file of the bench. */
export interface BenchInput {
  readonly format: InputFormat;
  readonly file: string;
  readonly rows: number;
}

/** The most rows that a sheet holds below its header. */
export const MOST_SHEET_ROWS = 1_048_575;

/** The input with this many rows; scenarios share it in their directory. */
export async function provideInput(
  directory: string,
  format: InputFormat,
  rows: number,
  kind: RowsKind = {},
): Promise<BenchInput> {
  const { keys = "most", before = 0 } = kind;
  const file = join(directory, `${format}-${rows}-${keys}-${before}.${format}`);
  if (existsSync(file)) return { format, file, rows };
  if (format === "xlsx") await writeFile(file, workbook(rows));
  else await writePieces(file, piecesOf(format, rows, kind));
  return { format, file, rows };
}

type TextFormat = Exclude<InputFormat, "xlsx">;

function* piecesOf(format: TextFormat, rows: number, kind: RowsKind): Generator<string> {
  if (format === "csv") yield `${COLUMNS.join(",")}\n`;
  let left = rows;
  for (const row of makeRows(rows, kind)) {
    left -= 1;
    const [key, order, billed, amount, invoice, closed] = row;
    if (format === "csv") yield `${key},${order},${billed},"${amount}",${invoice},${closed}\n`;
    else if (format === "ndjson") yield `${toObject(row)}\n`;
    else yield `${left === rows - 1 ? "[\n" : ""}${toObject(row)}${left === 0 ? "\n]\n" : ",\n"}`;
  }
}

/** With spaces, as Python's json module writes them. */
function toObject(row: BenchRow): string {
  return `{${COLUMNS.map((name, index) => `"${name}": "${row[index] ?? ""}"`).join(", ")}}`;
}

const PIECES_A_WRITE = 2000;

/** Writes short pieces of text to a file, many at a time. */
async function writePieces(file: string, pieces: Iterable<string>): Promise<void> {
  const out = createWriteStream(file);
  let [pending, count] = ["", 0];
  for (const piece of pieces) {
    pending += piece;
    count += 1;
    if (count % PIECES_A_WRITE !== 0) continue;
    if (!out.write(pending)) await once(out, "drain");
    pending = "";
  }
  out.end(pending);
  await once(out, "close");
}

/** The built-in format of dates. */
const DATE = 14;

/** The rows as Excel saves them: dates as serial numbers, texts as shared strings. */
function workbook(rows: number): Buffer {
  const texts: string[] = [...COLUMNS];
  const header = COLUMNS.map((_, at) => `<c r="${"ABCDEF"[at]}1" t="s"><v>${at}</v></c>`).join("");
  let sheet = `<row r="1">${header}</row>`;
  let row = 1;
  for (const [key, order, billed, amount, invoice, closed] of makeRows(rows)) {
    row += 1;
    const own = key === "" ? "" : `<c r="A${row}" t="s"><v>${texts.push(key) - 1}</v></c>`;
    const paid = Number(amount.replace(" ", "").replace(",", "."));
    sheet += `<row r="${row}" spans="1:6">${own}<c r="B${row}"><v>${order}</v></c><c r="C${row}" s="1"><v>${serialOf(billed)}</v></c><c r="D${row}"><v>${paid}</v></c><c r="E${row}"><v>${invoice}</v></c><c r="F${row}" s="1"><v>${serialOf(closed)}</v></c></row>`;
  }
  const strings = texts.map((text) => `<si><t>${text}</t></si>`).join("");
  return workbookOf({ sheets: [{ rows: sheet }], strings, formats: [DATE] });
}

function serialOf(date: string): number {
  const [day = 1, month = 1, year = 1] = date.split("/").map(Number);
  return Math.round((Date.UTC(year, month - 1, day) - Date.UTC(1899, 11, 30)) / 86_400_000);
}
