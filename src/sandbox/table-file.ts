import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { truncate } from "node:fs/promises";

import { RecPushError } from "../model/failure.ts";
import type { SandboxRecord } from "./store.ts";

/** The first line of every table's file. */
interface Heading {
  readonly recPushSandbox: 1;
  readonly table: string;
}

/**
 * The name of a table's file. Plain lower-case names stay readable; all others get a digest, so that no name leaves the
 * directory, is too long, or collides with another on a file system that ignores case.
 */
export function fileNameOf(table: string): string {
  if (/^[a-z0-9_-]{1,64}$/.test(table)) return `table-${table}.ndjson`;
  const readable = table
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .slice(0, 40);
  const digest = createHash("sha256").update(table).digest("hex").slice(0, 32);
  return `table-${readable}.${digest}.ndjson`;
}

/** The first line of a table's file. */
export function headingLine(table: string): string {
  const heading: Heading = { recPushSandbox: 1, table };
  return `${JSON.stringify(heading)}\n`;
}

/** One line holds one batch, so that a line cut short loses a whole batch and never part of one. */
export function batchLine(records: readonly SandboxRecord[]): string {
  return `${JSON.stringify(records)}\n`;
}

/** The content of a table's file. */
export interface LoadedTable {
  readonly table: string;
  /** Bytes up to the end of the last whole line. */
  readonly bytes: number;
  /** Records in all batches; more than there are fiches if some were updated. */
  readonly records: number;
}

/**
 * Passes on the batches of a file, oldest first, and cuts off a last line that a crash left unfinished. Undefined for a
 * file without a complete first line, which held nothing yet. Throws if any other line cannot be read.
 */
export async function loadTableFile(
  path: string,
  restore: (table: string, records: readonly SandboxRecord[]) => void,
): Promise<LoadedTable | undefined> {
  let table: string | undefined;
  let bytes = 0;
  let records = 0;
  let number = 0;
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, end)]);
      rest = [];
      from = end + 1;
      number += 1;
      bytes += line.length + 1;
      if (table === undefined) {
        table = readHeading(path, line);
        restore(table, []);
        continue;
      }
      const batch = readBatch(path, line, number);
      restore(table, batch);
      records += batch.length;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (table === undefined) return undefined;
  if (rest.length > 0) await truncate(path, bytes);
  return { table, bytes, records };
}

function readHeading(path: string, line: Buffer): string {
  const heading = parsed(line) as Partial<Heading> | undefined;
  if (heading?.recPushSandbox === 1 && typeof heading.table === "string") return heading.table;
  throw broken(path, 1);
}

function readBatch(path: string, line: Buffer, number: number): readonly SandboxRecord[] {
  const batch = parsed(line);
  const isBatch =
    Array.isArray(batch) &&
    batch.every((record: unknown) => typeof (record as SandboxRecord | null)?.["cle"] === "string");
  if (isBatch) return batch as readonly SandboxRecord[];
  throw broken(path, number);
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function broken(path: string, line: number): RecPushError {
  return new RecPushError(
    "machine",
    "broken-sandbox-data",
    `${path}:${line} is not a line that the sandbox wrote.`,
    {
      hint: "move the file elsewhere, or give another directory",
    },
  );
}
