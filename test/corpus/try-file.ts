import { tmpdir } from "node:os";
import { DEFAULT_FIELD_OPTIONS } from "../support/field-options.ts";
import { RecPushError } from "../../src/model/failure.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { openSource } from "../../src/read/source/open-source.ts";
import type { Source } from "../../src/read/source/source.ts";
import { prepareWhole } from "../polluted/prepare-whole.ts";
import { readTable, type ReadTable } from "../read/chunks.ts";

/** The result for one file. */
export type FileOutcome<T> =
  | ({ readonly kind: "read" } & T)
  | { readonly kind: "refused"; readonly error: RecPushError }
  | { readonly kind: "crashed"; readonly error: unknown };

/** Reads a file to its last row, without making records of the rows. */
export function tryTable(path: string, options: ReadOptions = {}): Promise<FileOutcome<ReadTable>> {
  return attempt(path, async (source) => ({ kind: "read", ...(await readTable(source, options)) }));
}

/** Makes all records of a file, as `check --other-columns send --on-invalid skip` does. */
export function tryRecords(
  path: string,
): Promise<FileOutcome<{ readonly sent: number; readonly rejected: number }>> {
  return attempt(path, async (source) => {
    const outcome = await prepareWhole(source, { ...DEFAULT_FIELD_OPTIONS, otherColumns: "send" });
    if (outcome.kind === "refused") return outcome;
    return { kind: "read", sent: outcome.records.length, rejected: outcome.rejected };
  });
}

async function attempt<T>(
  path: string,
  read: (source: Source) => Promise<FileOutcome<T>>,
): Promise<FileOutcome<T>> {
  let source: Source | undefined;
  try {
    source = await openSource(path, { stdin: () => process.stdin, spoolDirectory: tmpdir() });
    return await read(source);
  } catch (error) {
    return error instanceof RecPushError && (error.kind === "input" || error.kind === "usage")
      ? { kind: "refused", error }
      : { kind: "crashed", error };
  } finally {
    await source?.close();
  }
}
