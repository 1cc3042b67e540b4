import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Batch } from "../../src/model/settlement.ts";
import { EMPTY_LOG, writeLines } from "../../src/store/log.ts";
import { OpenRun } from "../../src/store/open-run.ts";
import { makeTable, openStateDirectory } from "../../src/store/state-directory.ts";
import { loadRun } from "../../src/store/summarise-run.ts";
import { creates } from "../send/support/records.ts";
import { onWrite } from "../support/on-write.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { toRecords } from "../support/to-record.ts";
import { FACTS, heldWith } from "./run-facts.ts";

/** Lets `writes` more writes to files of this process succeed, up to a byte; all others meet a full disk. */
function fillDiskAfter(writes: number, bytes?: number): () => void {
  let left = writes;
  return onWrite((write, fd, from, start, length, place) => {
    left -= 1;
    if (left >= 0) return write(fd, from, start, bytes ?? length, place);
    throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  });
}

it("a write that fails leaves none of its lines, not even whole ones", async () => {
  const path = join(await makeDirectory(), "log");
  const handle = await open(path, "w+");
  fillDiskAfter(1, 100);
  const entries = [{ entry: "short" }, { entry: "long".repeat(50) }];
  expect(() => writeLines(handle.fd, EMPTY_LOG, entries)).toThrow("ENOSPC");
  expect((await handle.stat()).size).toBe(0);
  await handle.close();
});

describe("creates that were announced and not sent when the disk was full", () => {
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
    const freeDisk = fillDiskAfter(0);
    await expect(run.announce(batch(2), Buffer.alloc(32))).rejects.toThrow("ENOSPC");
    freeDisk();
    expect(run.endSending()).toHaveLength(1);
    await run.close();
    const stored = await loadRun(state, FACTS.run);
    // What a process that begins now would conclude.
    stored?.account.doubtAnnounced();
    expect(stored?.account.doubts).toHaveLength(1);
  });
});
