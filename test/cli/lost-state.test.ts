import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MainResult } from "../support/run-main.ts";
import { type Earlier, keepKilledWorlds, type KilledWorld as World } from "../support/killed-world.ts";
import { atNight, shareOf } from "../support/draws.ts";
import { runsIn, tableIn } from "../support/table-parts.ts";

type Copy = Awaited<ReturnType<World["copy"]>>;

const worldOf = keepKilledWorlds();

/** Loses a part of the state of a table whose run was killed. */
type Lose = (copy: Copy) => Promise<unknown>;

const journalOf = ({ state, run }: Copy): string => join(runsIn(state), run, "journal");

const cutTo =
  (lines: number): Lose =>
  async (copy) => {
    const text = await readFile(journalOf(copy), "utf8");
    await writeFile(
      journalOf(copy),
      text
        .split(/(?<=\n)/)
        .slice(0, lines)
        .join(""),
    );
  };

const RUN_LOST: readonly (readonly [string, Lose])[] = [
  ["the run's directory", ({ state, run }) => rm(join(runsIn(state), run), { recursive: true })],
  ["its journal", (copy) => rm(journalOf(copy))],
  ["all lines of its journal", cutTo(0)],
  ["all lines of its journal but the first", cutTo(1)],
  ["all lines of its journal but two", cutTo(2)],
  [
    "a bit of its journal",
    async (copy) => {
      const bytes = await readFile(journalOf(copy));
      bytes[bytes.length >> 1]! ^= 1;
      await writeFile(journalOf(copy), bytes);
    },
  ],
  [
    "what runs/ got since its older copy",
    async ({ state, before }) => {
      await rm(runsIn(state), { recursive: true });
      await cp(runsIn(before), runsIn(state), { recursive: true }).catch(() => undefined);
    },
  ],
  [
    "the run's directory and the lock",
    async (copy) => {
      await rm(join(runsIn(copy.state), copy.run), { recursive: true });
      await withoutLocks(copy);
    },
  ],
];

const BOOK_LOST: readonly (readonly [string, Lose])[] = [
  [
    "the run's directory and what the book got since its older copy",
    async (copy) => {
      await rm(join(runsIn(copy.state), copy.run), { recursive: true });
      await olderBook(copy);
    },
  ],
  ["what the book got since its older copy", (copy) => olderBook(copy)],
  ["the book", ({ state }) => tableIn(state).then((table) => rm(join(table, "book")))],
];

async function withoutLocks({ state }: Copy): Promise<void> {
  const table = await tableIn(state);
  for (const name of await readdir(table)) if (name.startsWith("lock")) await rm(join(table, name));
}

async function olderBook({ state, before }: Copy): Promise<void> {
  const book = join(await tableIn(state), "book");
  const older = await tableIn(before).catch(() => before);
  await rm(book);
  await cp(join(older, "book"), book).catch(() => undefined);
}

const OTHER_PARTS: readonly (readonly [string, Lose])[] = [
  ["prints/", ({ state }) => tableIn(state).then((table) => rm(join(table, "prints"), { recursive: true }))],
  ["the lock's hand-over", withoutLocks],
];

/** What a person does next, the last thing of which is said again after each step that is printed. */
const NEXT: Readonly<Record<string, (world: World, copy: Copy) => readonly (readonly string[])[]>> = {
  "the same file": ({ files }) => [push(files.same)],
  "a grown file": ({ files }) => [push(files.grown)],
  "a mended file": ({ files }) => [push(files.mended)],
  resume: ({ files }, { run }) => [["resume", run], push(files.same)],
  "resume without a name": ({ files }) => [["resume"], push(files.same)],
  "abandon, then a grown file": ({ files }, { run }) => [["runs", "abandon", run], push(files.grown)],
};

function push(file: string): readonly string[] {
  return [file, "-t", "commandes"];
}

/**
 * Follows what a command printed as an honest person does, who looks into the service before each answer; returns all
 * that was typed, each with its exit code, and the last result.
 */
async function follow(world: World, copy: Copy, commands: readonly (readonly string[])[]) {
  const typed: string[] = [];
  const command = async (argv: readonly string[]): Promise<MainResult> => {
    const result = await copy.command(argv);
    typed.push(`${argv.join(" ")}: ${result.code}`);
    return result;
  };
  const last = commands.at(-1) ?? [];
  let result: MainResult | undefined;
  for (const argv of commands) result = await command(argv);
  for (let step = 0; step < 5 && result !== undefined && ![0, 3].includes(result.code ?? 0); step++) {
    for (const argv of stepsAfter(result, world, copy)) await command(argv);
    result = await command(last);
  }
  return { typed, result: result! };
}

function stepsAfter(
  { stdout, stderr }: MainResult,
  world: World,
  copy: Copy,
): readonly (readonly string[])[] {
  const printed = `${stdout}\n${stderr}`;
  const words = (text: string | undefined): readonly string[] => text?.trim().split(" ").slice(1) ?? [];
  const add = (file: string) => ["ledger", "add", file, "-t", "commandes"];
  if (printed.includes("rec-push ledger add FILE --table NAME")) {
    const forget = words(/rec-push runs forget \S+/.exec(printed)?.[0]);
    // A part of the ledger is lost: the person adds all that the service holds.
    if (!printed.includes("none is there"))
      return [...(forget.length === 0 ? [] : [forget]), add(world.first), add(world.thereFile)];
    return world.there.length === 0 ? [forget] : [add(world.thereFile)];
  }
  // The request that was cut off never was applied.
  const doubt = /not: (rec-push resume \S+ --in-doubt \S+)/.exec(printed)?.[1];
  if (doubt !== undefined) return [words(doubt).map((word) => word.replace(/,$/, ""))];
  throw new Error(`nothing leads on in ${copy.run}:\n${printed}`);
}

/** Each way in its own copy; returns what was not right. */
async function faultsAfter(lose: Lose, earlier: Earlier, there: 0 | 8, ways: readonly string[]) {
  const world = await worldOf(earlier, there);
  const faults: object[] = [];
  let [stopped, stoppedLater] = [0, 0];
  for (const way of ways) {
    const copy = await world.copy();
    await lose(copy);
    const { typed, result } = await follow(world, copy, NEXT[way]!(world, copy)).catch((error: unknown) => ({
      typed: [String(error)],
      result: { code: -1 },
    }));
    const held = copy.held();
    const twice = held.filter((number, at) => held.indexOf(number) !== at);
    const isEnded = result.code === 0 || result.code === 3;
    const rows = way.includes("grown") ? 15 : 12;
    const isLoaded = held.filter((number) => Number(number) > 1000).length >= rows;
    if (typed[0]?.endsWith(": 1") === true) stopped += 1;
    else if (typed.some((text) => text.endsWith(": 1"))) stoppedLater += 1;
    if (twice.length > 0 || !isEnded || (result.code === 0 && !isLoaded))
      faults.push({ way, typed, twice, rows: held.length });
  }
  return { faults, stopped, stoppedLater };
}

const WAYS = Object.keys(NEXT);
const PUSHES = ["the same file", "a grown file"];

/** Two ways for each part that is lost, another two for the next one; all ways by night. */
function waysOf(part: number): readonly string[] {
  return atNight ? WAYS : [WAYS[part % WAYS.length]!, WAYS[(part + 3) % WAYS.length]!];
}

describe("a killed run of which was lost", () => {
  it.each(shareOf(RUN_LOST, 4))(
    "%s stops the creates of its table, and what is printed leads on",
    async (_, lose) => {
      const ways = waysOf(RUN_LOST.findIndex(([, one]) => one === lose));
      const { faults, stopped } = await faultsAfter(lose, "rows of it", 8, ways);
      expect(faults).toEqual([]);
      expect(stopped).toBe(ways.length);
    },
  );

  it.each(shareOf(BOOK_LOST, 1))("%s stops them too, and what is printed leads on", async (_, lose) => {
    const { faults, stopped, stoppedLater } = await faultsAfter(lose, "rows of it", 8, WAYS);
    expect(faults).toEqual([]);
    // A command on the run itself finds that no book knows it.
    expect([stopped, stoppedLater]).toEqual([PUSHES.length + 1, 3]);
  });

  it.each(
    shareOf(
      RUN_LOST.slice(0, 2).flatMap(([name, lose]) => [
        [name, "nothing", 8, lose] as const,
        [name, "other rows", 8, lose] as const,
        [name, "rows of it", 0, lose] as const,
      ]),
      3,
    ),
  )("%s does so too after an earlier push of %s, with %i of its rows created", async (...row) => {
    const [, earlier, there, lose] = row;
    const { faults, stopped } = await faultsAfter(lose, earlier, there, PUSHES);
    expect(faults).toEqual([]);
    expect(stopped).toBe(PUSHES.length);
  });

  it.each(RUN_LOST.slice(0, 2))("%s lets updates go on, with a note also under --quiet", async (_, lose) => {
    const world = await worldOf("nothing", 8);
    const copy = await world.copy();
    await lose(copy);
    expect(await copy.command([...push(world.updates), "--quiet"])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /journal of the run \S+ on this table is lost or damaged: .*rec-push runs/,
      ),
    });
    expect(await copy.command(["runs"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`rec-push runs forget ${copy.run}`),
    });
  });

  it.each(shareOf(OTHER_PARTS, 2))(
    "%s creates nothing twice, and what is printed leads on",
    async (_, lose) => {
      const ways = waysOf(OTHER_PARTS.findIndex(([, one]) => one === lose));
      expect((await faultsAfter(lose, "rows of it", 8, ways)).faults).toEqual([]);
    },
  );
});
