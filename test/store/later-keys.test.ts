import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PreparedRecord } from "../../src/model/settlement.ts";
import { type JournalEntry, JournalWriter } from "../../src/store/journal.ts";
import { keysOf, type Overlap, readLaterKeys } from "../../src/store/later-keys.ts";
import { placeOfRun } from "../../src/store/state-directory.ts";
import { draws } from "../support/draws.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { toRecord, toRecords } from "../support/to-record.ts";
import { BEGIN, heldWith, outcome } from "./run-facts.ts";

const FIELDS = ["ville", "date_billed", "n_amount"];
const fields = fc.subarray(FIELDS, { minLength: 1 });
const key = fc.constantFrom("A", "B", "é\ud800", "");
const update = fc.record({
  key,
  fields,
  outcome: fc.constantFrom("accepted", "refused", "failed", "inDoubt", "none"),
});
type Drawn = { readonly key: string; readonly fields: readonly string[]; readonly outcome: string };

/** The record that gives these fields, the update number `ordinal` of its run. */
function recordOf({ key, fields }: Pick<Drawn, "key" | "fields">, ordinal: number): PreparedRecord {
  const json = JSON.stringify(Object.fromEntries([["cle", key], ...fields.map((name) => [name, "1"])]));
  const text = Buffer.from(json);
  return toRecord({
    line: ordinal,
    rowStart: 0,
    rowEnd: 1,
    key,
    ordinal,
    text,
    start: 0,
    bytes: text.length,
  });
}

/** Writes the journals of runs, and returns what they say of later keys. */
async function readJournals(runs: readonly (readonly JournalEntry[])[]) {
  const table = await makeDirectory();
  for (const [at, entries] of runs.entries()) {
    const directory = placeOfRun(table, `run${at}`);
    await mkdir(directory, { recursive: true });
    const writer = await JournalWriter.create(join(directory, "journal"), heldWith(1));
    for (const entry of [BEGIN, ...entries]) writer.append(entry);
    await writer.close();
  }
  return readLaterKeys(
    table,
    runs.map((_, at) => ({ run: `run${at}` })),
  );
}

function entriesOf(updates: readonly Drawn[]): readonly JournalEntry[] {
  const keys = keysOf(toRecords(updates.map(recordOf)));
  const settled = updates.flatMap((one, at) =>
    one.outcome === "none" ? [] : [outcome("update", one.outcome as "accepted", [at, at])],
  );
  return [...(keys === undefined ? [] : [{ entry: "keys", ...keys } as const]), ...settled];
}

function overlapNaively(runs: readonly (readonly Drawn[])[], asked: Pick<Drawn, "key" | "fields">): Overlap {
  const given = new Set(
    runs.flat().flatMap((one) => (one.key === asked.key && one.outcome === "accepted" ? one.fields : [])),
  );
  const shared = asked.fields.filter((field) => given.has(field)).length;
  return shared === 0 ? "none" : shared === asked.fields.length ? "all" : "some";
}

describe("the updates that later runs noted", () => {
  it("overtake a row with the fields that accepted ones with its key give together", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(update, { maxLength: 8 }), { maxLength: 3 }),
        fc.array(fc.record({ key, fields }), { minLength: 1, maxLength: 6 }),
        async (runs, asked) => {
          const keys = await readJournals(runs.map(entriesOf));
          for (const one of asked)
            expect(keys?.overlap(recordOf(one, 0)) ?? "none").toBe(overlapNaively(runs, one));
        },
      ),
      draws(60),
    );
  });

  it("are not known where a journal was repaired", async () => {
    const sent = entriesOf([{ key: "A", fields: FIELDS, outcome: "accepted" }]);
    const [a, b] = ["A", "B"].map((key) => recordOf({ key, fields: FIELDS }, 0)) as [
      PreparedRecord,
      PreparedRecord,
    ];
    const repaired = await readJournals([sent, [{ entry: "keysLost" }]]);
    expect([repaired?.overlap(a), repaired?.overlap(b)]).toEqual(["unknown", "unknown"]);
  });
});
