import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Batch } from "../../src/model/settlement.ts";
import { EMPTY_LOG, writeLines } from "../../src/store/log.ts";
import { OpenRun } from "../../src/store/open-run.ts";
import { openStateDirectory } from "../../src/store/state-directory.ts";
import { loadRun } from "../../src/store/summarise-run.ts";
import { makeTable } from "../../src/store/table-place.ts";
import { creates } from "../send/support/records.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { toRecords } from "../support/to-record.ts";
import { FACTS, heldWith } from "./run-facts.ts";

/** Lets `writes` more writes to files of this process succeed, up to a byte; all others meet a full disk. */
async function fillDiskAfter(writes: number, bytes?: number): Promise<void> {
  const handle = await open(process.execPath);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const write: unknown = Reflect.get(prototype, "write");
  let left = writes;
  const meet: FileHandle["write"] = function (this: FileHandle, ...args: unknown[]) {
    left -= 1;
    if (left >= 0) {
      const given = bytes === undefined ? args : args.with(2, bytes);
      return Reflect.apply(write as () => unknown, this, given) as never;
    }
    return Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }));
  };
  vi.spyOn(prototype, "write").mockImplementation(meet);
}

it("a write that fails leaves none of its lines, not even whole ones", async () => {
  const path = join(await makeDirectory(), "log");
  const handle = await open(path, "w+");
  await fillDiskAfter(1, 100);
  const entries = [{ entry: "short" }, { entry: "long".repeat(50) }];
  await expect(writeLines(handle, EMPTY_LOG, 1, entries)).rejects.toThrow("ENOSPC");
  vi.restoreAllMocks();
  expect((await handle.stat()).size).toBe(0);
  await handle.close();
});

describe("creates that were announced and not sent when the disk was full", () => {
  afterEach(() => vi.restoreAllMocks());

  it("are told as in doubt, as the next process will see them", async () => {
    const state = await openStateDirectory(join(await makeDirectory(), "state"));
    await makeTable(state, FACTS.identity);
    const run = await OpenRun.begin({ state, lock: heldWith(1) }, FACTS);
    const records = creates(4);
    const batch = (number: number): Batch => ({
      number,
      kind: "create",
      records: toRecords(records.slice(number * 2 - 2, number * 2)),
    });
    await run.announce(batch(1), Buffer.alloc(32));
    await fillDiskAfter(0);
    await expect(run.announce(batch(2), Buffer.alloc(32))).rejects.toThrow("ENOSPC");
    vi.restoreAllMocks();
    expect(run.endSending()).toHaveLength(1);
    await run.close();
    const stored = await loadRun(state, FACTS.run);
    // What a process that begins now would conclude.
    stored?.account.doubtAnnounced();
    expect(stored?.account.doubts).toHaveLength(1);
  });
});
