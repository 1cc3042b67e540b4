import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { DoubtFile } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { markerColumns } from "../model/marker-columns.ts";
import { type Dialect, isTabular, type Reading, SHEET_FILE_DIALECT } from "../model/reading.ts";
import { RowScanner } from "../read/csv/row-scanner.ts";
import { DEFAULT_MAX_ROW_BYTES } from "../read/read-options.ts";
import { createTextCheck, decode, readByteOrderMark } from "../read/text/decode.ts";
import type { PlanTexts } from "../store/run-facts.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import { hashOf, type NotedRun, readKeptPlace, sizeOf } from "./kept-place.ts";

/**
 * The file of the present doubt of a run; `undefined` if there is none. For a file that somebody has changed, it says how
 * many rows are left.
 */
export async function findDoubtFile({
  book,
  directory,
  account: { doubt, facts },
}: Pick<StoredRun, "book" | "directory" | "account">): Promise<Omit<DoubtFile, "run"> | undefined> {
  const { doubts, sha256 } = readKeptPlace({ book, directory });
  const { path, rows } = doubts.findLast((file) => file.doubt === doubt) ?? {};
  if (doubt === undefined || path === undefined || rows === undefined) return undefined;
  if ((await sizeOf(path)) === 0) return undefined;
  if (sha256.has(await hashOf(path).catch(() => ""))) return { path, rows };
  try {
    const found = await readDoubtFile(path, facts.plan);
    if (found.doubt !== doubt) return { path, rows, fault: "it is of another doubt" };
    return found.left.size < rows ? { path, rows, left: found.left.size } : { path, rows };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return { path, rows, fault: error.message.replace("; nothing is decided", "") };
  }
}

/** Removes the files of settled doubt, unless they were changed; `now`: the present doubt. */
export async function removeDoubtFiles(run: NotedRun, now: string | undefined): Promise<void> {
  const { doubts, sha256 } = readKeptPlace(run);
  const latest = new Map(doubts.map(({ path, doubt }) => [path, doubt]));
  for (const [path, doubt] of latest) {
    if (doubt === now || (await sizeOf(path)) === 0) continue;
    if (sha256.has(await hashOf(path).catch(() => ""))) await rm(path, { force: true });
  }
}

/** The doubt for which the run of a directory wrote a file at that path. */
export function doubtWrittenTo(run: NotedRun, path: string): string | undefined {
  const { doubts } = readKeptPlace(run);
  return doubts.find((file) => file.path === resolve(path))?.doubt;
}

/** A file of rows in doubt: its first column, the only one that is read. */
export interface DoubtedRows {
  readonly run: string;
  readonly doubt: string;
  /** The lines of the rows, as the file names them. */
  readonly left: ReadonlySet<string>;
}

const DOUBT_COLUMNS = markerColumns("inDoubt");
const [FIRST, SECOND] = DOUBT_COLUMNS as readonly [string, string];
/** The header and the first rows are there. */
const HEAD_BYTES = 4 * DEFAULT_MAX_ROW_BYTES;
const NAMED = / of doubt ([0-9a-f]{8}) in run (\d{8}-\d{6}-[0-9a-f]+)/;
/** What is between the first two names, which a spreadsheet may have changed. */
const DELIMITER = new RegExp(`${FIRST}["']?(.+?)["']?${SECOND}`);

/** The beginning of a file; of a file in UTF-16 every other byte of the names is zero. */
async function readHead(path: string): Promise<{ readonly bytes: Buffer; readonly text: string }> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return { bytes, text: bytes.toString().replaceAll("\0", "") };
  } finally {
    await handle.close();
  }
}

/** The run and the doubt that a file names; `undefined` if it names none, or cannot be read. */
export async function findNamedDoubt(
  path: string,
): Promise<{ readonly run: string; readonly doubt: string } | undefined> {
  const { text = "" } = (await readHead(path).catch(() => undefined)) ?? {};
  const [, doubt, run] = NAMED.exec(text) ?? [];
  return doubt === undefined || run === undefined ? undefined : { run, doubt };
}

/**
 * Reads a file of rows in doubt as it was written: in the format, encoding and quotes of its input, by the plan of its
 * run. A spreadsheet may have saved it with another delimiter, or with a byte order mark. Throws a usage error if it names
 * no row, or was cut.
 */
export async function readDoubtFile(path: string, plan: PlanTexts): Promise<DoubtedRows> {
  const head = await readHead(path);
  const encoding = readByteOrderMark(head.bytes)?.encoding ?? plan["--encoding"] ?? "utf8";
  let last: number | undefined;
  async function* content(): AsyncGenerator<Buffer> {
    for await (const piece of decode(
      () => createReadStream(path),
      encoding,
      path,
      createTextCheck(encoding),
    )) {
      last = piece.at(-1) ?? last;
      yield piece;
    }
  }
  const [, delimiter] = DELIMITER.exec(head.text) ?? [];
  const isCsv = isTabular(plan["--format"] as Reading["format"]);
  if (isCsv && delimiter === undefined) throw noDoubtFile(path);
  const rows = isCsv ? readCsv(path, content(), dialectOf(plan, delimiter!)) : readNdjson(path, content());
  const left = new Set<string>();
  let of: Omit<DoubtedRows, "left"> | undefined;
  for await (const { name, line } of rows) {
    const row = parseDoubtedRow(name.trim());
    if (row === undefined) throw changed(`${path}:${line}`, "its first cell was changed");
    of ??= { run: row.run, doubt: row.doubt };
    if (row.run !== of.run || row.doubt !== of.doubt)
      throw changed(`${path}:${line}`, "it is a row of another doubt than those above");
    if (left.has(row.line)) throw changed(`${path}:${line}`, "the row is in the file twice");
    left.add(row.line);
  }
  if (of === undefined) throw changed(path, "it holds no rows");
  if (last !== LINE_FEED && last !== CARRIAGE_RETURN)
    throw changed(path, "its last line has no line end, as if the file had been cut");
  return { ...of, left };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The first cell of a row, and its line. */
interface FirstCell {
  readonly name: string;
  readonly line: number;
}

/** The rows below the header; titles above it may have been removed. */
async function* readCsv(
  path: string,
  content: AsyncIterable<Buffer>,
  dialect: Dialect,
): AsyncGenerator<FirstCell> {
  const scanner = new RowScanner(dialect, { maxRowBytes: 2 * DEFAULT_MAX_ROW_BYTES });
  let header = Infinity;
  function* take({ unreadable, rows }: ReturnType<RowScanner["push"]>): Generator<FirstCell> {
    for (const { texts: cells, line } of rows) {
      if (header === Infinity) {
        if (DOUBT_COLUMNS.every((name, at) => cells[at] === name)) header = line;
        continue;
      }
      // A spreadsheet may leave out empty cells at the end of a row, but never the first three.
      if (cells.length < DOUBT_COLUMNS.length) throw changed(`${path}:${line}`, "the row was cut");
      yield { name: cells[0]!, line };
    }
    const fault = unreadable.find(({ line }) => line > header);
    if (fault !== undefined) throw changed(`${path}:${fault.line}`, fault.reason);
  }
  for await (const piece of content) yield* take(scanner.push(piece));
  yield* take(scanner.end());
  if (header === Infinity) throw noDoubtFile(path);
}

async function* readNdjson(path: string, content: AsyncIterable<Buffer>): AsyncGenerator<FirstCell> {
  let line = 0;
  for await (const text of createInterface({ input: Readable.from(content), crlfDelay: Infinity })) {
    line += 1;
    if (text.trim() === "") continue;
    let name: unknown;
    try {
      name = (JSON.parse(text) as Record<string, unknown>)[FIRST];
    } catch {
      throw changed(`${path}:${line}`, "it is not a JSON object");
    }
    if (typeof name !== "string") throw noDoubtFile(path);
    yield { name, line };
  }
}

/** How the file was written, with the delimiter that it has now. */
function dialectOf(plan: PlanTexts, delimiter: string): Dialect {
  const isSheet = plan["--format"] === "xlsx";
  const [quote = '"', escape = '"'] = ((isSheet ? undefined : plan["--quote and escape"]) ?? '" "').split(
    " ",
  );
  return {
    ...SHEET_FILE_DIALECT,
    delimiter,
    quote: quote as Dialect["quote"],
    escape: escape as Dialect["escape"],
  };
}

function noDoubtFile(path: string): RecPushError {
  return new RecPushError(
    "bad-doubt-file",
    `${path} is not a file of rows in doubt: it does not begin with the columns ${DOUBT_COLUMNS.join(", ")}; nothing is decided`,
    { hint: "rec-push runs RUN names the file; delete rows in it, and leave everything else as it is" },
  );
}

function changed(where: string, reason: string): RecPushError {
  return new RecPushError("bad-doubt-file", `${where}: ${reason}; nothing is decided`, {
    hint: "delete whole rows only: those that are in the service; a row that is to be sent stays as it is\nor remove the file: the next command that goes on with its run writes it again",
  });
}

/** A row as the file of rows in doubt names it, in its first column. */
interface DoubtedRow {
  /** Its line in the input; of several rows of one line the second is `1.2`. */
  readonly line: string;
  readonly run: string;
  readonly doubt: string;
}

/** `line 12 of doubt 1f3a9c0e in run 20261121-074803-51baa3` */
export function spellDoubtedRow({ line, run, doubt }: DoubtedRow): string {
  return `line ${line} of doubt ${doubt} in run ${run}`;
}

/** The reverse of {@link spellDoubtedRow}; `undefined` for any other text. */
function parseDoubtedRow(text: string): DoubtedRow | undefined {
  const found = /^line (\d+(?:\.\d+)?) of doubt ([0-9a-f]{8}) in run (\d{8}-\d{6}-[0-9a-f]+)$/.exec(text);
  return found === null ? undefined : { line: found[1]!, doubt: found[2]!, run: found[3]! };
}

/** Makes a function that names the rows of an input by their lines; to be called in the order of the input. */
export function createLineNames(): (line: number) => string {
  let last = 0;
  let count = 0;
  return (line) => {
    count = line === last ? count + 1 : 1;
    last = line;
    return count === 1 ? String(line) : `${line}.${count}`;
  };
}
