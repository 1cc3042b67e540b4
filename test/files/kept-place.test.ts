import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  hashOf,
  noteWritten,
  placeAt,
  placeIn as placeBeside,
  readKeptPlace,
} from "../../src/files/kept-place.ts";
import { RowsPlace } from "../../src/files/rows-place.ts";
import { findRejectsAt, findUnmended } from "../../src/files/rows-to-mend.ts";
import type { CompleteFile } from "../../src/files/write-rows.ts";
import { bookOf } from "../../src/store/find-books.ts";
import { openStateDirectory, placeOfRun } from "../../src/store/state-directory.ts";
import { takeTableLock } from "../../src/store/table-lock.ts";
import { FACTS } from "../store/run-facts.ts";
import { makeDirectory } from "../support/temp-files.ts";

async function write(path: string, text: string): Promise<string> {
  await writeFile(path, text);
  return hashOf(path);
}

const TARGET = { url: "http://localhost/api/items/commandes/", dbVersion: null, runKey: null };

/** A state whose book of the table knows these runs. */
async function openKeeping(...runs: readonly string[]) {
  const state = await openStateDirectory(await makeDirectory());
  const lock = await takeTableLock(state, TARGET);
  if (!("release" in lock)) throw new TypeError("the table is locked");
  const book = await bookOf(state, TARGET);
  const about = {
    entry: "begin",
    startedAt: "",
    file: "orders.csv",
    content: "",
    hasCreates: false,
  } as const;
  for (const run of runs) await book.append(lock, { ...about, run, dbVersion: null, runKey: null });
  return { state, lock, target: TARGET, book };
}

function complete(sha256: string): CompleteFile {
  return { kind: "rejects", sha256, rowsSum: `the rows ${sha256}`, rows: 1 };
}

const LAST_NIGHT = "20261121-031500-3f9a1c";
const TONIGHT = "20261122-031500-3f9a1c";

/** The place of a run's rejects of `orders.csv`. */
function placeIn(directory: string, known: Awaited<ReturnType<typeof openKeeping>>, run: string): RowsPlace {
  const place = new RowsPlace(placeBeside(directory, "orders.csv", false), {
    isCsv: true,
    taken: new Set(),
    tell: () => undefined,
    known,
  });
  place.begin(placeOfRun(known.book.directory, run));
  return place;
}

describe("the place of a file of rows that nothing is kept of", () => {
  it("is that of the same rows, or gets a number", async () => {
    const first = join(await makeDirectory(), "rejects.csv");
    const hash = await write(first, "a row\n");
    const about = { isCsv: true, taken: new Set<string>(), tell: () => undefined, known: undefined };
    const claim = (sha256: string) => new RowsPlace(placeAt(first), about).claim(complete(sha256));
    expect(await claim(hash)).toBe(first);
    about.taken.clear();
    expect(await claim("of other rows")).toBe(first.replace(".csv", "-2.csv"));
  });
});

describe("the place of a file that is not there yet", () => {
  it("stays that of its run after a kill before the file came there", async () => {
    const folder = await makeDirectory();
    const [first, second] = ["orders.rejects.csv", "orders.rejects-2.csv"].map((name) => join(folder, name));
    const known = await openKeeping(LAST_NIGHT, TONIGHT);
    expect(await placeIn(folder, known, TONIGHT).claim(complete("of tonight"))).toBe(first);
    expect(await placeIn(folder, known, LAST_NIGHT).claim(complete("of last night"))).toBe(second);
    const place = placeIn(folder, known, TONIGHT);
    const { book } = known;
    place.takeUp({ book, directory: placeOfRun(book.directory, TONIGHT), facts: FACTS });
    expect(await place.claim(complete("of tonight"))).toBe(first);
  });
});

describe("a rejects file that a later run has replaced", () => {
  it("is of the later run only, and of its --run-key", async () => {
    const keeping = await openKeeping(LAST_NIGHT, TONIGHT);
    const path = join(await makeDirectory(), "orders.rejects.csv");
    const sha256 = await write(path, "a row\n");
    await noteWritten(keeping, { runs: [LAST_NIGHT], path, sha256, rows: 1, kind: "rejects" });
    expect(await findRejectsAt(keeping, path)).toBe(LAST_NIGHT);
    await noteWritten(keeping, { runs: [TONIGHT], path, sha256, rows: 1, kind: "rejects" });
    expect(await findRejectsAt(keeping, path)).toBe(TONIGHT);
    const other = { state: keeping.state, target: { ...TARGET, runKey: "other" } };
    expect(await findRejectsAt(other, path)).toBeUndefined();
  });
});

describe("rows to be mended that a later run pushed", () => {
  const MORNING = "20261123-091500-3f9a1c";
  const close = { entry: "close", hasCreates: true } as const;
  const begin = { entry: "begin", startedAt: "", file: "orders.rejects.csv", hasCreates: true } as const;
  const target = { dbVersion: null, runKey: null };

  it.each([
    ["all of them", { content: "b", takes: [LAST_NIGHT] }, {}, true, true],
    ["all of them, and left some again", { content: "b", takes: [LAST_NIGHT] }, { toMend: 1 }, false, true],
    ["and was given up", { content: "b", takes: [LAST_NIGHT] }, { isAbandoned: true }, false, false],
    ["some of them", { content: "b", takes: [] }, {}, false, false],
    ["the whole file", { content: "", olderRuns: [LAST_NIGHT] }, {}, true, true],
    ["another file", { content: "b", olderRuns: [LAST_NIGHT] }, {}, false, false],
  ])("%s", async (_, later, end, isMended, isTaken) => {
    const { book, lock, ...keeping } = await openKeeping(LAST_NIGHT);
    const at = new Date().toISOString();
    await book.append(lock, { ...close, run: LAST_NIGHT, at, toMend: 3 });
    await book.append(lock, { ...begin, ...target, ...later, run: TONIGHT });
    // An open run proves nothing.
    expect([book.isMended(LAST_NIGHT), book.takerOf(LAST_NIGHT)]).toEqual([false, undefined]);
    await book.append(lock, { ...close, run: TONIGHT, at, ...end });
    expect([book.isMended(LAST_NIGHT), book.takerOf(LAST_NIGHT)]).toEqual([
      isMended,
      isTaken ? TONIGHT : undefined,
    ]);
    const left = [...(isTaken ? [] : [LAST_NIGHT]), ...("toMend" in end ? [TONIGHT] : [])];
    expect(await findUnmended(keeping, new Set())).toEqual(left);
    await book.append(lock, { ...begin, ...target, content: "c", takes: [TONIGHT], run: MORNING });
    await book.append(lock, { ...close, run: MORNING, at });
    expect(book.isMended(LAST_NIGHT)).toBe(isTaken);
  });

  it("are not asked for under another --run-key, after 30 days, or of an open run that the command knows", async () => {
    const { book, lock, ...keeping } = await openKeeping(LAST_NIGHT, TONIGHT);
    await book.append(lock, { ...close, run: LAST_NIGHT, at: "2020-01-01T00:00:00.000Z", toMend: 3 });
    const other = { ...keeping, target: { ...TARGET, runKey: "other" } };
    expect([await findUnmended(keeping, new Set()), await findUnmended(keeping, new Set([TONIGHT]))]).toEqual(
      [[TONIGHT], []],
    );
    expect(await findUnmended(other, new Set())).toEqual([]);
  });
});

describe("a book that is rewritten", () => {
  it("forgets of closed runs what later ones replaced, and nothing of an open one", async () => {
    const keeping = await openKeeping(LAST_NIGHT, TONIGHT);
    const { book, lock, state } = keeping;
    const path = join(state.root, "rejects.csv");
    const about = { kind: "rejects", sha256: "a", rows: 1 } as const;
    for (const run of [LAST_NIGHT, TONIGHT]) await noteWritten(keeping, { runs: [run], ...about, path });
    await book.append(lock, { entry: "mended", run: LAST_NIGHT });
    await book.append(lock, { entry: "close", run: LAST_NIGHT, at: "", hasCreates: false, toMend: 1 });
    const filler = { entry: "released", plan: "none" } as const;
    for (let at = 0; at < 110; at++) await book.append(lock, filler, filler);
    const before = book.end.number;
    await book.rewrite(lock, new Set());
    expect(book.end.number).toBeLessThan(before / 10);
    const kept = (run: string) => readKeptPlace({ book, directory: placeOfRun(book.directory, run) });
    expect(kept(LAST_NIGHT)).toMatchObject({ rejects: undefined });
    expect(kept(TONIGHT)).toMatchObject({ rejects: { path, rows: 1 } });
    expect([book.isMended(LAST_NIGHT), book.isMended(TONIGHT)]).toEqual([true, false]);
  });
});
