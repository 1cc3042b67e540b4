import { readFile, writeFile } from "node:fs/promises";
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

describe("the place of a file of rows", () => {
  /** A place beside `orders.csv`, whose rejects another run wrote and nobody mended. */
  async function openPlace(rejects: string) {
    const folder = await makeDirectory();
    const first = join(folder, "orders.rejects.csv");
    const hash = await write(first, rejects);
    const known = { stateRoot: await makeDirectory(), target: "commandes" };
    await noteFile(known, first, { sha256: hash, kind: "rejects", run: "last night" });
    const told: string[] = [];
    const place = new RowsPlace(
      { kind: "directory", directory: folder, stem: "orders", extension: ".csv", isDefault: true },
      { isCsv: true, taken: new Set(), tell: (text) => void told.push(text), known },
    );
    await place.begin(await makeDirectory());
    return { first, second: join(folder, "orders.rejects-2.csv"), hash, place, told };
  }

  it("is never that of other rows: last night's stay as they are", async () => {
    const { first, second, place, told } = await openPlace("last night's row\n");
    expect(await place.claim({ kind: "rejects", sha256: "of tonight's", rows: 1 })).toBe(second);
    expect(await readFile(first, "utf8")).toBe("last night's row\n");
    expect(told).toEqual([`${first} already exists and is left as it is: the rows go to ${second}`]);
  });

  it("is the same for the same rows, and for what this run wrote there as long as nobody changed it", async () => {
    const { first, second, hash, place } = await openPlace("a row\n");
    expect(await place.claim({ kind: "rejects", sha256: hash, rows: 1 })).toBe(first);
    const next = { kind: "rejects", sha256: "of two rows", rows: 2 } as const;
    expect(await place.claim(next)).toBe(first);
    await write(first, "a row that somebody mended\n");
    expect(await place.claim(next)).toBe(second);
  });

  it("gets a number too where the user named the file", async () => {
    const { first, hash } = await openPlace("a row\n");
    const about = { isCsv: true, taken: new Set<string>(), tell: () => undefined, known: undefined };
    const claim = (sha256: string) =>
      new RowsPlace({ kind: "file", path: first }, about).claim({ kind: "rejects", sha256, rows: 1 });
    expect(await claim(hash)).toBe(first);
    about.taken.clear();
    expect(await claim("of other rows")).toBe(first.replace(".csv", "-2.csv"));
  });
});

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
