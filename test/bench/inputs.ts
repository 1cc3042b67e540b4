import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type BenchRow, COLUMNS, makeRows, type RowsKind } from "./rows.ts";
import { writeWorkbook } from "./write-workbook.ts";

/** How an input is written: `csv` quotes amounts and separates by commas, `semicolon` is what a French Excel saves. */
export type InputFormat = "csv" | "semicolon" | "json" | "ndjson" | "xlsx";

/** A file of the bench. */
export interface BenchInput {
  readonly format: InputFormat;
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  /** Further files of the same input. */
  readonly more?: readonly string[];
}

/** The input with this many rows, written into the directory unless it is there already. */
export async function provideInput(
  directory: string,
  format: InputFormat,
  rows: number,
  kind: RowsKind = {},
): Promise<BenchInput> {
  const ending = format === "semicolon" ? "csv" : format;
  const { keys = "most", before = 0 } = kind;
  const marks = keys === "most" && before === 0 ? "" : `-${keys}-${before}`;
  const file = join(directory, `${format}-${rows}${marks}.${ending}`);
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined) return { format, file, rows, bytes: found.size };
  // Written under another name until it is complete, so that a kept directory never holds half a file.
  if (format === "xlsx") await writeWorkbook(`${file}.part`, rows);
  else await writeInput(`${file}.part`, format, rows, kind);
  await rename(`${file}.part`, file);
  return { format, file, rows, bytes: (await stat(file)).size };
}

/** The input that is written as these pieces, unless it is there already. */
export async function provideText(
  directory: string,
  name: string,
  { format, rows, pieces }: Pick<BenchInput, "format" | "rows"> & { readonly pieces: () => Iterable<string> },
): Promise<BenchInput> {
  const file = join(directory, name);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    await writePieces(`${file}.part`, pieces());
    await rename(`${file}.part`, file);
  }
  return { format, file, rows, bytes: (await stat(file)).size };
}

/** Deletes an input that is not needed any more. */
export function removeInput({ file }: BenchInput): Promise<void> {
  return rm(file, { force: true });
}

const PIECES_A_WRITE = 2000;

type TextFormat = Exclude<InputFormat, "xlsx">;

async function writeInput(file: string, format: TextFormat, rows: number, kind: RowsKind): Promise<void> {
  await writePieces(file, piecesOf(format, rows, kind));
}

function* piecesOf(format: TextFormat, rows: number, kind: RowsKind): Generator<string> {
  if (format === "csv") yield `${COLUMNS.join(",")}\n`;
  if (format === "semicolon") yield `${COLUMNS.join(";")}\r\n`;
  if (format === "json") yield "[\n";
  let index = 0;
  for (const row of makeRows(rows, kind)) {
    index += 1;
    yield writeRow(row, format, index === rows);
  }
  if (format === "json") yield "]\n";
}

/** Writes short pieces of text to a file, many at a time. */
async function writePieces(file: string, pieces: Iterable<string>): Promise<void> {
  const out = createWriteStream(file);
  let pending = "";
  let count = 0;
  for (const piece of pieces) {
    pending += piece;
    count += 1;
    if (count % PIECES_A_WRITE === 0) {
      if (!out.write(pending)) await once(out, "drain");
      pending = "";
    }
  }
  out.end(pending);
  await once(out, "close");
}

function writeRow(row: BenchRow, format: TextFormat, isLast: boolean): string {
  const [key, order, billed, amount, invoice, closed] = row;
  switch (format) {
    case "csv":
      return `${key},${order},${billed},"${amount}",${invoice},${closed}\n`;
    case "semicolon":
      return `${row.join(";")}\r\n`;
    case "json":
      return `${toObject(row)}${isLast ? "" : ","}\n`;
    case "ndjson":
      return `${toObject(row)}\n`;
  }
}

/** With spaces, as Python's json module writes them. */
function toObject(row: BenchRow): string {
  return `{${COLUMNS.map((name, index) => `"${name}": "${row[index] ?? ""}"`).join(", ")}}`;
}
