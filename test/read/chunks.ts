import type { RowProblem } from "../../src/model/rows.ts";
import { type Inspection, inspectSource } from "../../src/read/inspect-source.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { readRows } from "../../src/read/read-rows.ts";
import type { Source } from "../../src/read/source/source.ts";

/** Cuts bytes into chunks of a size; 0 leaves them whole. */
export async function* cutBytesAt(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  const step = size === 0 ? Math.max(bytes.length, 1) : size;
  for (let at = 0; at < bytes.length; at += step) {
    yield bytes.subarray(at, at + step);
  }
  await Promise.resolve();
}

/** Chunks that are overwritten once the next one is asked for, as those of a file may be. */
export async function* lend(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const lent = Buffer.from(chunk);
    yield lent;
    lent.fill(0xff);
  }
}

/** A source over bytes; `swap` changes the content for later passes. */
export function sourceOf(content: string | Buffer, size = 0): Source & { swap(to: Buffer): void } {
  let bytes = Buffer.from(content as string);
  return {
    name: "orders.csv",
    bytes: bytes.length,
    open: () => lend(cutBytesAt(bytes, size)),
    close: async () => {},
    swap(to) {
      bytes = Buffer.from(to);
    },
  };
}

/** The content of a source: `[line, ...cells]` for each row. */
export interface ReadTable {
  readonly inspection: Inspection;
  readonly rows: readonly (readonly unknown[])[];
  readonly problems: readonly RowProblem[];
  /** The lines that repeat the header. */
  readonly headers: readonly number[];
  /** Column names after all rows are read; with JSON they are known only then. */
  readonly columns: readonly string[];
}

/** Inspects a source and reads all its rows; throws if a chunk holds a line of one before. */
export async function readTable(source: Source, options: ReadOptions = {}): Promise<ReadTable> {
  const inspection = await inspectSource(source, options);
  const rows: unknown[][] = [];
  const problems: RowProblem[] = [];
  const headers: number[] = [];
  let { columns } = inspection.reading;
  let last = 0;
  for await (const chunk of readRows(source, inspection, options)) {
    columns = chunk.columns;
    for (const row of chunk.rows) rows.push([row.line, ...row.cells]);
    problems.push(...chunk.unreadable);
    headers.push(...(chunk.headers ?? []));
    const lines = [...chunk.rows, ...chunk.unreadable].map(({ line }) => line);
    if (Math.min(...lines) < last + (inspection.reading.format === "csv" ? 1 : 0))
      throw new Error(`line ${Math.min(...lines)} comes after line ${last}`);
    last = Math.max(last, ...lines);
  }
  return { inspection, rows, problems, headers, columns };
}

/** All bytes of an iterable. */
export async function join(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return Buffer.concat(all);
}
