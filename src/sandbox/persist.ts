import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";

import { RecPushError } from "../model/failure.ts";
import { replaceFile } from "../state/atomic-file.ts";
import type { HeldLock } from "../state/held-lock.ts";
import { takeLock, type LockHolder } from "../state/lock.ts";
import { Store, type SandboxRecord } from "./store.ts";
import { batchLine, fileNameOf, headingLine, loadTableFile } from "./table-file.ts";

/** A store that survives a restart. */
export interface KeptStore {
  readonly store: Store;
  /** Releases the directory. */
  readonly close: () => Promise<void>;
}

const recordsPerLine = 500;

/**
 * Opens a store whose tables are in `directory` (created if it is missing), one file per table. A batch is in its file
 * before it is answered, so that killing the process loses no answered batch; a power failure may lose the last
 * seconds.
 */
export async function openKeptStore(directory: string): Promise<KeptStore> {
  const lock = await lockDirectory(directory);
  try {
    const sizes = new Map<string, number>();
    const store = new Store((table, records) => {
      keepBatch(directory, sizes, table, records);
    });
    await loadAll(directory, store, sizes);
    return { store, close: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw asMachineError(directory, error);
  }
}

async function loadAll(directory: string, store: Store, sizes: Map<string, number>): Promise<void> {
  const names = readdirSync(directory).toSorted();
  // A rewrite was interrupted; the file that it would have replaced is still there.
  for (const name of names) if (/^\.table-.*\.ndjson\.[0-9a-f]+$/.test(name)) rmSync(join(directory, name));
  for (const name of names) {
    if (!/^table-.*\.ndjson$/.test(name)) continue;
    const path = join(directory, name);
    const loaded = await loadTableFile(path, (table, records) => {
      store.restore(table, records);
    });
    if (loaded === undefined) {
      rmSync(path);
      continue;
    }
    if (fileNameOf(loaded.table) !== name) throw misnamed(path, fileNameOf(loaded.table));
    const fiches = store.table(loaded.table)?.records;
    const isMostlyOld = fiches !== undefined && loaded.records > 2 * fiches.size + recordsPerLine;
    sizes.set(loaded.table, isMostlyOld ? await rewrite(path, loaded.table, fiches.values()) : loaded.bytes);
  }
}

function keepBatch(
  directory: string,
  sizes: Map<string, number>,
  table: string,
  records: readonly SandboxRecord[],
): void {
  const path = join(directory, fileNameOf(table));
  const expected = sizes.get(table) ?? 0;
  const file = openSync(path, "a", 0o600);
  try {
    const size = fstatSync(file).size;
    // The file may be longer if an earlier batch was refused because the disk was full, and its beginning could not be
    // removed.
    if (size > expected) ftruncateSync(file, expected);
    if (size < expected) throw new Error(`${path} was changed by somebody else`);
    try {
      writeFileSync(file, (expected === 0 ? headingLine(table) : "") + batchLine(records));
    } catch (error) {
      ftruncateSync(file, expected);
      throw error;
    }
    sizes.set(table, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

/** Rewrites a table's fiches; returns the new size. */
async function rewrite(path: string, table: string, fiches: Iterable<SandboxRecord>): Promise<number> {
  await replaceFile(path, async (file) => {
    await file.write(headingLine(table));
    let line: SandboxRecord[] = [];
    for (const fiche of fiches) {
      line.push(fiche);
      if (line.length < recordsPerLine) continue;
      await file.write(batchLine(line));
      line = [];
    }
    if (line.length > 0) await file.write(batchLine(line));
  });
  return (await stat(path)).size;
}

/** Makes this sandbox the only one on a data directory. Throws a usage error if another sandbox has it. */
async function lockDirectory(directory: string): Promise<HeldLock> {
  let lock: HeldLock | LockHolder;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    lock = await takeLock(directory, "sandbox.lock");
  } catch (error) {
    throw asMachineError(directory, error);
  }
  if ("release" in lock) return lock;
  const { pid, host, path } = lock;
  throw new RecPushError(
    "usage",
    "sandbox-data-in-use",
    `Process ${pid} on ${host} runs a sandbox on ${directory}.`,
    { hint: `end it, give another directory, or remove ${path} if that process is not a sandbox` },
  );
}

function misnamed(path: string, rightName: string): RecPushError {
  return new RecPushError("machine", "broken-sandbox-data", `${path} holds the table of ${rightName}.`, {
    hint: "give it that name, or move one of the two elsewhere",
  });
}

function asMachineError(directory: string, error: unknown): unknown {
  if (error instanceof RecPushError || !(error instanceof Error)) return error;
  return new RecPushError(
    "machine",
    "sandbox-data",
    `The data directory ${directory} cannot be used: ${error.message}.`,
    { cause: error },
  );
}
