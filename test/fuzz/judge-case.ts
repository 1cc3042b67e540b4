import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import iconv from "iconv-lite";
import { RecPushError } from "../../src/model/failure.ts";
import type { Cell } from "../../src/model/rows.ts";
import { unpackGzip } from "../../src/read/source/packed-source.ts";
import type { Source } from "../../src/read/source/source.ts";
import { cutBytesAt, readTable, type ReadTable } from "../read/chunks.ts";
import { DEFAULT_FIELD_OPTIONS } from "../support/field-options.ts";
import { prepareWhole } from "../support/prepare-whole.ts";
import { type BaseFile, buildBytes, type FuzzCase, fuzzCases } from "./fuzz-case.ts";
import { judgeCsv } from "./judge-csv.ts";
import { judgeJson } from "./judge-json.ts";

/** Longer files are cut: a fault shows in a few rows. */
const BASE_BYTES = 6_000;

/** The beginnings of all files below a directory, in a stable order. */
export function loadBases(directory: string): readonly BaseFile[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.toSorted().map((path) => {
    const stored = readFileSync(path);
    const bytes = path.endsWith("packed.csv.gz") ? gunzipSync(stored) : stored;
    return { name: path.slice(directory.length), bytes: bytes.subarray(0, BASE_BYTES) };
  });
}

/** Mutated files are read as they are or refused, however they are cut. */
export function judgeMutated(bases: readonly BaseFile[]): fc.IAsyncProperty<[FuzzCase]> {
  const bytesOf = new Map(bases.map(({ name, bytes }) => [name, bytes]));
  return fc.asyncProperty(fuzzCases(bases), (given) => judgeCase(given, bytesOf.get(given.base)!));
}

/** Throws if reading a case breaks a promise, and throws on every error that is not an input error. */
export async function judgeCase(given: FuzzCase, base: Buffer): Promise<void> {
  const { stored, isWhole } = buildBytes(given, base);
  const whole = await attempt(given, stored, 0);
  const cut = await attempt(given, stored, given.chunk);
  if (!isWhole) {
    // Which fault is met first depends on the cuts; that the file is refused does not.
    if ([whole, cut].every(isRefusal)) return;
    throw new Error("a damaged packing is read");
  }
  if (isRefusal(whole) && isRefusal(cut)) return comparePlaces(whole, cut, given.chunk);
  const [first, second] = [describe(whole), describe(cut)];
  if (first !== second)
    throw new Error(
      `chunks of ${given.chunk} bytes change the reading:\n${first.slice(0, 2_000)}\n${second.slice(0, 2_000)}`,
    );
  if (whole instanceof RecPushError) return;
  const fault = judgeTable(given, stored, whole);
  if (fault !== undefined) throw new Error(fault);
  const fields = { ...DEFAULT_FIELD_OPTIONS, otherColumns: "send" } as const;
  const records = await prepareWhole(openBytes(stored, 0), fields, given.options);
  // Not of the rows above: without fields another line may look like the header.
  if (records.kind === "read" && records.records.length > records.rows)
    throw new Error(`${records.records.length} records of ${records.rows} rows`);
}

function judgeTable(given: FuzzCase, stored: Buffer, table: ReadTable): string | undefined {
  const { format, encoding } = table.inspection.reading;
  const bytes = unpackWhole(stored);
  const text = iconv.decode(bytes, encoding);
  if (format === "csv") return judgeCsv(text, table, given.options);
  // All cases are text files.
  if (format === "xlsx") return "a text was read as a workbook";
  const rows = table.rows.map(([, ...cells]) => cells as Cell[]);
  return judgeJson(text, format, { ...table, rows }, given.options.jsonPath);
}

/** Not by `openSource`, but as a whole and without checksums. */
function unpackWhole(stored: Buffer): Buffer {
  return isPacked(stored) ? gunzipSync(stored) : stored;
}

async function attempt(given: FuzzCase, stored: Buffer, chunk: number): Promise<ReadTable | RecPushError> {
  try {
    return await readTable(openBytes(stored, chunk), given.options);
  } catch (error) {
    if (error instanceof RecPushError && (error.kind === "input" || error.kind === "usage")) return error;
    throw error;
  }
}

function isRefusal(told: ReadTable | RecPushError): told is RecPushError {
  return told instanceof RecPushError;
}

/** If there are two faults, the cuts may decide which is reported; the place of one fault must not depend on them. */
function comparePlaces(whole: RecPushError, cut: RecPushError, chunk: number): void {
  if (whole.code !== cut.code || whole.code === "too-long") return;
  if (JSON.stringify(whole.place) !== JSON.stringify(cut.place))
    throw new Error(`chunks of ${chunk} bytes change a place:\n${whole.message}\n${cut.message}`);
}

function describe(told: ReadTable | RecPushError): string {
  return told instanceof RecPushError
    ? told.message
    : JSON.stringify([told.inspection.reading, told.rows, told.problems]);
}

/** A source over stored bytes, unpacked as `openSource` does. */
function openBytes(stored: Buffer, chunk: number): Source {
  const read = (): AsyncIterable<Buffer> => cutBytesAt(stored, chunk);
  return {
    name: "fuzz",
    bytes: stored.length,
    open: isPacked(stored) ? () => unpackGzip(read(), "fuzz") : read,
    close: async () => {},
  };
}

/** True for gzip (RFC 1952 section 2.3.1). */
function isPacked(stored: Buffer): boolean {
  return stored[0] === 0x1f && stored[1] === 0x8b;
}
