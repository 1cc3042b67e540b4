import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findDoubtFile, noteDecided } from "../../src/files/doubt-files.ts";
import { notePlace, readKeptPlace } from "../../src/files/kept-place.ts";
import { hashOf } from "../../src/files/kept-results.ts";
import { noteFile, RowsPlace } from "../../src/files/rows-place.ts";
import { RunAccount } from "../../src/store/count-run.ts";
import { takeEntries } from "../support/take-entries.ts";
import { makeDirectory } from "../support/temp-files.ts";

async function write(path: string, text: string): Promise<string> {
  await writeFile(path, text);
  return hashOf(path);
}

/** A run with one create in doubt. */
function inDoubt(): RunAccount {
  const account = new RunAccount();
  const stretch = { batch: 1, kind: "create", ordinals: [[0, 0]], lines: [2, 2] } as const;
  takeEntries(
    account,
    { entry: "intent", ...stretch, prints: "" },
    { entry: "outcome", ...stretch, outcome: "inDoubt", status: undefined, msg: "", attempts: 1 },
  );
  return account;
}

describe("a file of rows that a kill kept from its path", () => {
  it("is not taken for the older one of rejects that is still there", async () => {
    const directory = await makeDirectory();
    const path = join(directory, "rejects.csv");
    const older = await write(path, "one row\n");
    await notePlace(directory, { path, sha256: older, rows: 1, kind: "rejects" });
    expect((await readKeptPlace(directory)).rows.get(path)).toBe(1);

    await notePlace(directory, { path, sha256: "of the new one", rows: 2, kind: "rejects" });
    expect((await readKeptPlace(directory)).rows.get(path)).toBeUndefined();

    // What somebody changed since is that person's, and counts.
    await write(path, "one row and a half\n");
    expect((await readKeptPlace(directory)).rows.get(path)).toBe(2);
  });

  it("is not taken for the rows that another run left under the name", async () => {
    const directory = await makeDirectory();
    const folder = await makeDirectory();
    const others = join(folder, "orders.rejects.csv");
    const hash = await write(others, "of an earlier export\n");
    const known = { stateRoot: await makeDirectory(), target: "commandes", areFull: true };
    await noteFile(known, others, { sha256: hash, kind: "rejects" });
    const place = new RowsPlace(
      { kind: "directory", directory: folder, stem: "orders", extension: ".csv", isDefault: true },
      { isCsv: true, taken: new Set(), tell: () => undefined, known },
    );
    await place.begin(directory);
    expect(await place.claim({ kind: "rejects", sha256: "of the new one", rows: 2 })).toBe(others);
    expect((await readKeptPlace(directory)).rows.get(others)).toBeUndefined();
  });

  it("is written again where the older one has decided earlier doubt", async () => {
    const directory = await makeDirectory();
    const account = inDoubt();
    const path = join(directory, "in-doubt.csv");
    const edited = await write(path, "the rows that were left\n");
    await notePlace(directory, { path, sha256: "as it was written", rows: 3, doubt: "before" });
    await noteDecided(directory, { path, sha256: edited });
    await notePlace(directory, { path, sha256: "of the new one", rows: 1, doubt: account.doubt! });
    expect(await findDoubtFile(directory, account)).toBeUndefined();

    await write(path, "the new one, in which nothing is left as it was\n");
    expect(await findDoubtFile(directory, account)).toMatchObject({
      path,
      rows: 1,
      fault: expect.stringContaining("it is not a JSON object"),
    });
  });
});
