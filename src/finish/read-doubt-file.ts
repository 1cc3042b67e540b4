import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { markerColumns } from "../model/marker-columns.ts";
import { RecPushError } from "../model/failure.ts";
import { isTabular, SHEET_FILE_DIALECT, type Dialect, type Reading } from "../model/reading.ts";
import { RowScanner } from "../read/csv/row-scanner.ts";
import type { splitMembers as split } from "../read/json/json-members.ts";
import { readByteOrderMark } from "../read/text/byte-order-mark.ts";
import { decode } from "../read/text/decode.ts";
import { DEFAULT_MAX_ROW_BYTES } from "../read/read-options.ts";

/** A row of a file of rows in doubt. */
export interface DoubtedRow {
  /** Its line in the input, as the file gives it. */
  readonly line: string;
  readonly batch: string;
  /** Equal for rows with equal line, batch and cells. */
  readonly print: string;
}

/** A file of rows in doubt. */
interface DoubtedRows {
  /** Equal for files with equal columns. */
  readonly columns: string;
  readonly rows: readonly DoubtedRow[];
}

const DOUBT_COLUMNS = markerColumns("inDoubt");
const OWN = DOUBT_COLUMNS.length;
/** The longest byte order mark. */
const MARK_BYTES = 4;

/**
 * Reads a file of rows in doubt, in the way in which the input it comes from is read; a byte order mark says that a
 * spreadsheet has saved it in another encoding. Throws a usage error if it is not such a file.
 */
export async function readDoubtFile(
  path: string,
  { format, encoding, dialect }: Pick<Reading, "format" | "encoding" | "dialect">,
): Promise<DoubtedRows> {
  const mark = await readMark(path);
  const content = (): AsyncIterable<Buffer> => decode(createReadStream(path), mark ?? encoding, path);
  if (!isTabular(format)) return readNdjson(path, content);
  return readCsv(path, content, format === "xlsx" ? SHEET_FILE_DIALECT : dialect!);
}

/** The encoding that the byte order mark of a file indicates, if it has one. */
async function readMark(path: string): Promise<string | undefined> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MARK_BYTES), 0, MARK_BYTES, 0);
    return readByteOrderMark(buffer.subarray(0, bytesRead))?.encoding;
  } finally {
    await handle.close();
  }
}

async function readCsv(
  path: string,
  content: () => AsyncIterable<Buffer>,
  dialect: Dialect,
): Promise<DoubtedRows> {
  const headerLine = await findHeader(content);
  if (headerLine === undefined) throw noDoubtFile(path);
  const scanner = new RowScanner(dialect, {
    maxRowBytes: 2 * DEFAULT_MAX_ROW_BYTES,
    skipLines: headerLine - 1,
  });
  let columns: readonly string[] | undefined;
  const rows: DoubtedRow[] = [];
  const take = (scanned: ReturnType<RowScanner["push"]>): void => {
    const [fault] = scanned.unreadable;
    if (fault !== undefined) throw unreadable(path, fault.line, fault.reason);
    for (const { cells } of scanned.rows) {
      if (columns === undefined) columns = cells;
      else rows.push(rowOf(cells));
    }
  };
  for await (const piece of content()) take(scanner.push(piece));
  take(scanner.end());
  if (columns === undefined || DOUBT_COLUMNS.some((name, at) => columns![at] !== name))
    throw noDoubtFile(path);
  return { columns: printOf(columns), rows };
}

/** The line of the header; titles above it may have been removed. */
async function findHeader(content: () => AsyncIterable<Buffer>): Promise<number | undefined> {
  const marker = new RegExp(String.raw`^["'\u{feff}]*${DOUBT_COLUMNS[0]}\b`, "u");
  const lines = createInterface({ input: Readable.from(content()), crlfDelay: Infinity });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (marker.test(line)) return number;
  }
  return undefined;
}

async function readNdjson(path: string, content: () => AsyncIterable<Buffer>): Promise<DoubtedRows> {
  const { splitMembers } = await import("../read/json/read-json.ts");
  const rows: DoubtedRow[] = [];
  let number = 0;
  for await (const line of createInterface({ input: Readable.from(content()), crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === "") continue;
    let members: ReturnType<typeof split>;
    try {
      JSON.parse(line);
      members = splitMembers(line);
    } catch {
      throw unreadable(path, number, "it is not a JSON object");
    }
    if (DOUBT_COLUMNS.some((name, at) => members[at]?.name !== name)) throw noDoubtFile(path);
    const [place, batch] = members.slice(0, OWN).map(({ source }) => String(JSON.parse(valueIn(source))));
    rows.push(rowOf([place!, batch!, "", ...members.slice(OWN).map(({ source }) => source)]));
  }
  return { columns: "", rows };
}

/** The value of a member as its source has it: name, colon, value. */
function valueIn(source: string): string {
  return source.slice(source.indexOf(":") + 1);
}

/** The reason column is not compared. */
function rowOf(cells: readonly string[]): DoubtedRow {
  const [line = "", batch = ""] = cells;
  return { line, batch, print: printOf([line, batch, ...cells.slice(OWN)]) };
}

function printOf(cells: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(cells)).digest("base64");
}

function noDoubtFile(path: string): RecPushError {
  return new RecPushError(
    "usage",
    "no-doubt-file",
    `${path} is not a file of rows in doubt: it does not begin with the columns ${DOUBT_COLUMNS.join(", ")}`,
    { hint: "rec-push runs RUN names the file; delete rows in it, and leave everything else as it is" },
  );
}

function unreadable(path: string, line: number, reason: string): RecPushError {
  return new RecPushError("usage", "doubt-file-changed", `${path}:${line}: ${reason}; nothing is decided`, {
    hint: "delete whole rows only, in an editor that keeps the others as they are",
  });
}
