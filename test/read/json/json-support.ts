import { readFileSync } from "node:fs";
import { RecPushError } from "../../../src/model/failure.ts";
import {
  type Cell,
  JsonNumber,
  NestedValue,
  type Row,
  type RowChunk,
  type UnreadableRow,
} from "../../../src/model/rows.ts";
import { readJsonRows } from "../../../src/read/json/json-rows.ts";
import { fixture } from "../../support/fixture.ts";
import { cutBytesAt, lend } from "../chunks.ts";

type ReadRow = Omit<Row, "spans" | "firstCell" | "width">;

/** The results of one pass. */
export interface Pass {
  readonly columns: readonly string[];
  readonly rows: readonly ReadRow[];
  readonly problems: readonly UnreadableRow[];
  /** The number of rows and problems in each chunk. */
  readonly chunkSizes: readonly number[];
}

interface ReadOptions {
  readonly format?: "json" | "ndjson";
  /** Bytes per chunk; 0 and without it the input is one chunk. */
  readonly cut?: number;
  readonly maxRowBytes?: number;
  readonly jsonPath?: string;
  readonly flatten?: readonly string[];
  readonly declared?: readonly string[];
}

/** The sizes that every reader is tried with; 0 is the whole input at once. */
export const CUTS: readonly number[] = [1, 2, 7, 0];

/** Reads chunks to the end. */
export async function drain(chunks: AsyncIterable<RowChunk>): Promise<Pass> {
  let columns: readonly string[] = [];
  const rows: ReadRow[] = [];
  const problems: UnreadableRow[] = [];
  const chunkSizes: number[] = [];
  for await (const chunk of chunks) {
    columns = chunk.columns;
    for (const { line, record, start, end, cells } of chunk.rows) {
      const count = cells.findLastIndex((cell) => cell !== undefined) + 1;
      rows.push({ line, record: record!, start, end, cells: cells.slice(0, count) });
    }
    problems.push(...chunk.unreadable);
    chunkSizes.push(chunk.rows.length + chunk.unreadable.length);
  }
  return { columns, rows, problems, chunkSizes };
}

/** Reads text or bytes as rows of the file `x.json`. */
export function read(input: string | Buffer, options: ReadOptions = {}): Promise<Pass> {
  const { format = "json", cut = 0, ...given } = options;
  const chunks = lend(cutBytesAt(Buffer.from(input as string), cut));
  const how = { file: "x.json", maxRowBytes: 1_048_576, ...given };
  return drain(readJsonRows(chunks, format, how));
}

/** What `read` returns of the rows, or its error. */
export async function outcomeOf(input: string, options: ReadOptions): Promise<unknown> {
  try {
    const { columns, rows, problems } = await read(input, options);
    return { columns, rows, problems };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return { code: error.code, message: error.message, place: error.place };
  }
}

/** The content of a file under `fixtures/json/`. */
export function readFixture(name: string): Buffer {
  return readFileSync(fixture(`json/${name}`));
}

/** The RecPushError that reading throws; fails if there is none. */
export async function failureOf(reading: Promise<unknown>): Promise<RecPushError> {
  const outcome: unknown = await reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof RecPushError) return outcome;
  throw new Error("expected an input error", { cause: outcome });
}

/** `line:column` of an error. */
export function placeOf(error: RecPushError): string {
  return [error.place?.line, error.place?.column].filter((part) => part !== undefined).join(":");
}

/** A cell as plain JSON would have it: numbers as `#source`, nested values as `{}` and `[]`. */
function plain(cell: Cell): unknown {
  if (cell instanceof JsonNumber) return `#${cell.source}`;
  if (cell instanceof NestedValue) return cell.what === "object" ? {} : [];
  return cell;
}

/** The cells of all rows, plain. */
export function plainRows(pass: Pass): unknown[][] {
  return pass.rows.map(({ cells }) => cells.map(plain));
}

/** The line and the cells of all rows. */
export function linedRows(pass: Pass): unknown[][] {
  return pass.rows.map(({ line, cells }) => [line, cells].flat());
}
