import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PRINT_BYTES } from "../../src/ledger/comparison-form.ts";
import { LedgerFile, openFiles, removeCreates, writePrints } from "../../src/ledger/ledger-file.ts";
import { Book } from "../../src/store/book.ts";
import { heldWith } from "../store/run-facts.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** A directory as that of a table. */
async function makeTable(): Promise<string> {
  const directory = await makeDirectory();
  await mkdir(join(directory, "prints"));
  return directory;
}

/** As evenly spread as prints are. */
function printOf(number: number, width: number): Buffer {
  return createHash("sha256").update(`${number}`).digest().subarray(0, width);
}

const RUN = { run: "run", startedAt: "2026-01-01T00:00:00.000Z", file: "orders.csv" };
const CREATED = {
  ...RUN,
  kind: "created",
  dbVersion: null,
  runKey: null,
  leavesRows: false,
  shape: "0",
} as const;

/** More than are read at once. */
const MANY = 30_000;

it.each([
  [0, 0, 1],
  [3, 0, 1],
  [0, 3, 1],
  [MANY, 2, 1],
  [2, MANY, 1],
  [MANY, MANY, 2],
  [MANY, 0, 2],
])(
  "a ledger file gives back %i certain and %i doubtful prints (%i in each)",
  async (certain, doubtful, prints) => {
    const directory = await makeTable();
    const width = prints * PRINT_BYTES;
    const facts = { ...CREATED, certain, doubtful, hashed: prints === 2 ? [["num_commande"]] : [] };
    const named = await writePrints(directory, "run", facts, async (put) => {
      for (let number = 0; number < certain + doubtful; number++) put(printOf(number, width), 0);
    });
    const file = new LedgerFile(directory, "run", named);
    let number = 0;
    const wrong: number[] = [];
    await file.scan((bytes, at, isDoubtful) => {
      const isRight = bytes.subarray(at, at + width).equals(printOf(number, width));
      if (!isRight || isDoubtful !== number >= certain) wrong.push(number);
      number += 1;
    });
    expect(wrong).toEqual([]);
    expect(number).toBe(certain + doubtful);
  },
);

it("a ledger file keeps the hashes that all prints have and that tell them apart, at most three", async () => {
  const hashed = ["alike", "one", "empty", "two", "three", "four"].map((field) => [field]);
  const facts = { ...CREATED, hashed, certain: 5, doubtful: 0 };
  const hashOf = (at: number, number: number): string => {
    if (at === 1) return `alike ${number % 4}`;
    if (at === 3 && number === 4) return "\0";
    return `${at} ${number}`;
  };
  const printsOf = (places: readonly number[], number: number): Buffer =>
    Buffer.concat(places.map((at) => Buffer.alloc(PRINT_BYTES).fill(hashOf(at, number))));
  const directory = await makeTable();
  const named = await writePrints(directory, "run", facts, async (put) => {
    for (let number = 0; number < 5; number++) put(printsOf([0, 1, 2, 3, 4, 5, 6], number), 0);
  });
  expect(named.hashed).toEqual([["one"], ["two"], ["three"]]);
  const found: string[] = [];
  await new LedgerFile(directory, "run", named).scan((bytes, at) => {
    found.push(bytes.toString("hex", at, at + 4 * PRINT_BYTES));
  });
  expect(found).toEqual([0, 1, 2, 3, 4].map((number) => printsOf([0, 2, 4, 5], number).toString("hex")));
});

it("the files of a book are those of one --run-key, and hold nothing that is said to be absent", async () => {
  const directory = await makeTable();
  const facts = { ...CREATED, certain: 4, doubtful: 0, hashed: [] };
  const named = await writePrints(directory, "first", facts, async (put) => {
    for (const record of ["1", "2", "3", "4"]) put(Buffer.alloc(PRINT_BYTES, record), 0);
  });
  const prints = new Map([["first", { ...named, certain: 2, doubtful: 1 }]]);
  const found: string[] = [];
  for (const file of openFiles({ directory, prints }, null))
    await file.scan((bytes, at, isDoubtful) => {
      found.push(`${bytes.toString("latin1", at, at + 1)}${isDoubtful ? "?" : ""}`);
    });
  expect(found).toEqual(["1", "2", "3?"]);
  expect(openFiles({ directory, prints }, "other key")).toEqual([]);
});

it("creates that are missing are taken out of every file, by print or identity, once", async () => {
  const directory = await makeTable();
  const book = new Book(directory);
  const lock = heldWith(1);
  /** `1a`: the record `1a`, whose identity is `1`. */
  const printsOf = (records: readonly string[]) => async (put: (prints: Buffer, at: number) => void) => {
    for (const record of records)
      put(Buffer.concat([record, record[0]!].map((text) => Buffer.alloc(PRINT_BYTES, text))), 0);
  };
  const write = async (name: string, fields: string[][], certain: string[], doubtful: string[] = []) => {
    const facts = { ...CREATED, certain: certain.length, doubtful: doubtful.length, hashed: [["id"]] };
    const all = printsOf([...certain, ...doubtful]);
    const files = { [name]: await writePrints(directory, name, facts, all, fields) };
    await book.append(lock, { entry: "prints", files });
  };
  const remove = (name: string, identity: string[] | undefined, records: readonly string[]) =>
    removeCreates(
      book,
      lock,
      { hashed: [["id"]], count: records.length, runKey: null, identity, scan: printsOf(records) },
      name,
    );
  await write("first", [["id"]], ["1a", "2a"], ["3a"]);
  await write("whole", [], ["1a", "1b", "2a"]);
  expect(await remove("one", ["id"], ["1b"])).toBe(2);
  await write("later", [["id"]], ["1a"]);
  expect(await remove("two", undefined, ["2a", "2a"])).toBe(2);
  expect(await remove("three", undefined, ["2a", "2a"])).toBe(0);
  const found: Record<string, string[]> = {};
  for (const file of openFiles(book, null)) {
    const records: string[] = (found[file.key] = []);
    await file.scan((bytes, at, isDoubtful) => {
      records.push(`${bytes.toString("latin1", at, at + 2)}${isDoubtful ? "?" : ""}`);
    });
  }
  expect(found).toEqual({ first: ["3a?"], whole: ["1a"], later: ["1a"] });
  // Each file that was replaced is gone.
  expect((await readdir(join(directory, "prints"))).toSorted()).toEqual(["first-two", "later", "whole-two"]);
});
