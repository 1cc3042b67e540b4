import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { atNight, shareOf } from "../support/draws.ts";
import { heldBy } from "../support/push-to-sandbox.ts";
import { type MainResult, makeStateHome, runMain } from "../support/run-main.ts";
import { startProcess } from "../support/run-process.ts";
import { linesOfBook, runsIn, tableIn } from "../support/table-parts.ts";

/** Records without key, each with a number of its own. */
function createsOf(numbers: readonly number[]): string {
  return ["num_commande", ...numbers, ""].join("\n");
}

function range(from: number, rows: number): number[] {
  return Array.from({ length: rows }, (_, at) => from + at);
}

/** What was pushed to the table before the run that was killed: nothing, other rows, or twenty of its rows. */
type Earlier = "nothing" | "other rows" | "rows of it";

/** How many of the twelve new rows the service holds when the process is killed; the answer to one more is lost. */
type There = 0 | 8;

type World = Awaited<ReturnType<typeof killAmidCreates>>;

/** Each is built once. */
const worlds = new Map<string, Promise<World>>();
afterAll(async () => {
  for (const world of worlds.values()) await (await world).remove();
});

function worldOf(earlier: Earlier, there: There): Promise<World> {
  const name = `${earlier} ${there}`;
  const world = worlds.get(name) ?? killAmidCreates(earlier, there);
  worlds.set(name, world);
  return world;
}

/**
 * A run of twelve new creates whose process was killed, in states that can be copied: each command works on a copy of
 * its own, and what the service got is counted for that copy.
 */
async function killAmidCreates(earlier: Earlier, there: There) {
  const sandbox = await startSandbox();
  const directory = await mkdtemp(join(tmpdir(), "rec-push-killed-"));
  const [before, killed] = [join(directory, "before"), join(directory, "killed")];
  const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const run = (home: string, argv: readonly string[]) =>
    runMain(argv, { env: { ...env, XDG_STATE_HOME: home }, others: "nothing" });
  const old = earlier === "rows of it" ? range(1, 20) : [];
  const rows = [...old, ...range(1001, 12)];
  const file = async (name: string, numbers: readonly number[]): Promise<string> => {
    await writeFile(join(directory, name), createsOf(numbers));
    return join(directory, name);
  };
  const first = await file("first.csv", range(1, 20));
  const files = {
    same: await file("orders.csv", rows),
    grown: await file("grown.csv", [...rows, 1013, 1014, 1015]),
    // The third of the new rows was wrong.
    mended: await file(
      "mended.csv",
      rows.map((row) => (row === 1003 ? 2003 : row)),
    ),
  };
  if (earlier !== "nothing") await run(before, [first, "-t", "commandes"]);
  await mkdir(before, { recursive: true });
  await cp(before, killed, { recursive: true });
  const earlierRuns = await readdir(runsIn(join(before, "rec-push"))).catch(() => [] as string[]);
  sandbox.setFaults([`hang,kind=create,skip=${there}`]);
  const pace = ["--batch-size", "1", "--concurrency", "1"];
  const argv = [files.same, "-v", "-t", "commandes", ...pace];
  const child = startProcess(argv, { ...env, XDG_STATE_HOME: killed }, undefined, "nothing");
  let isEnded = false;
  void child.ended.then(() => (isEnded = true));
  while (!isEnded && sandbox.requests().statuses["hang"] === undefined)
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.child.kill("SIGKILL");
  await child.ended;
  sandbox.setFaults([]);
  const held = numbersOf();
  function numbersOf(): readonly string[] {
    return heldBy(sandbox).map(({ num_commande: number }) => String(number));
  }
  const updates = join(directory, "updates.csv");
  await writeFile(updates, "cle;num_commande\nF000001;1\n");
  return {
    first,
    updates,
    files,
    /** The new rows that the service held then, and a file of them. */
    there: held.filter((number) => Number(number) > 1000),
    thereFile: await file("there.csv", range(1001, there)),
    async remove() {
      await sandbox.close();
      await rm(directory, { recursive: true, force: true });
    },
    /** Another copy of the state, and what the service holds for its commands. */
    async copy() {
      const home = makeStateHome();
      await cp(killed, home, { recursive: true });
      const from = numbersOf().length;
      const state = join(home, "rec-push");
      return {
        state,
        before: join(before, "rec-push"),
        // Two runs may begin within one second: their names do not say which is the later one.
        run: (await readdir(runsIn(state))).find((name) => !earlierRuns.includes(name)) ?? "",
        command: (argv: readonly string[]) => run(home, argv),
        held: () => [...held, ...numbersOf().slice(from)],
      };
    },
  };
}

type Copy = Awaited<ReturnType<World["copy"]>>;

/** Loses a part of the state of a table whose run was killed. */
type Lose = (copy: Copy) => Promise<unknown>;

const journalOf = ({ state, run }: Copy): string => join(runsIn(state), run, "journal");

async function cutTo(path: string, lines: number): Promise<void> {
  const text = await readFile(path, "utf8");
  await writeFile(
    path,
    text
      .split(/(?<=\n)/)
      .slice(0, lines)
      .join(""),
  );
}

const RUN_LOST: readonly (readonly [string, Lose])[] = [
  ["the run's directory", ({ state, run }) => rm(join(runsIn(state), run), { recursive: true })],
  ["its journal", (copy) => rm(journalOf(copy))],
  ["all lines of its journal", (copy) => cutTo(journalOf(copy), 0)],
  ["all lines of its journal but the first", (copy) => cutTo(journalOf(copy), 1)],
  ["all lines of its journal but two", (copy) => cutTo(journalOf(copy), 2)],
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
    "%s stops the creates of its table, creates nothing twice, and what is printed leads on",
    async (_, lose) => {
      const ways = waysOf(OTHER_PARTS.findIndex(([, one]) => one === lose));
      const { faults, stopped, stoppedLater } = await faultsAfter(lose, "rows of it", 8, ways);
      expect(faults).toEqual([]);
      expect(stopped + stoppedLater).toBe(ways.length);
    },
  );
});

const bookOf = async ({ state }: Copy): Promise<string> => join(await tableIn(state), "book");
const open = (): Promise<World> => worldOf("other rows", 8);

/** Flips a bit in the middle of a line, counted from 0; negative numbers count from the end. */
async function flip(path: string, at: number): Promise<void> {
  const lines = (await readFile(path, "latin1")).split(/(?<=\n)/);
  const before = lines.slice(0, at).join("").length;
  const line = lines.at(at)!;
  const bytes = await readFile(path);
  bytes[before + (line.length >> 1)]! ^= 1;
  await writeFile(path, bytes);
}

/** Settles the doubt of the run as an honest person does, who deletes the rows that the service has. */
async function settle({ command, run, held }: Copy): Promise<void> {
  const asked = await command(["resume", run]);
  expect(asked.code).toBe(8);
  const answer = /if they are there: rec-push (resume \S+ --in-doubt \w+=applied)/.exec(
    asked.stdout + asked.stderr,
  );
  const [, path] = /delete their rows from (\S+),/.exec(asked.stdout + asked.stderr) ?? [];
  const isHeld = (row: string): boolean => held().includes(/(\d+)$/.exec(row.trim())?.[1] ?? "");
  const [header = "", ...rows] =
    path === undefined ? [] : (await readFile(path, "utf8")).trimEnd().split("\n");
  const left = rows.filter((row) => !isHeld(row));
  const isPart = left.length > 0 && left.length < rows.length;
  if (isPart) await writeFile(path!, [header, ...left, ""].join("\n"));
  const word = left.length === 0 && rows.length > 0 ? "applied" : "resend";
  const all = answer![1]!.replace("=applied", `=${word}`).split(" ");
  expect((await command(isPart ? ["resume", run, "--in-doubt", path!] : all)).code).toBe(0);
}

/** Everything of the file is in the service, and nothing twice. */
async function expectWhole(copy: Copy, file: string): Promise<void> {
  const last = await copy.command([file, "-t", "commandes"]);
  expect(last).toMatchObject({ code: 0 });
  const held = copy.held().filter((number) => Number(number) > 1000);
  expect(held.toSorted()).toEqual(Array.from({ length: 12 }, (_, at) => String(1001 + at)));
}

describe("rec-push runs repair", () => {
  it.each(
    shareOf<[string, (path: string) => Promise<void>, number]>(
      [
        ["with a flipped bit in its first line", (path) => flip(path, 0), 12],
        ["with a flipped bit in its second line", (path) => flip(path, 1), 12],
        ["with a flipped bit amid its lines", (path) => flip(path, 9), 8],
        ["with a flipped bit in its last line", (path) => flip(path, -2), 4],
        ["that was cut after its first line", (path) => cutTo(path, 1), 12],
        ["that was cut amid its lines", (path) => cutTo(path, 8), 9],
        ["that is empty", (path) => cutTo(path, 0), 12],
        ["that is gone", (path) => rm(path), 12],
      ],
      4,
    ),
  )("makes a journal %s readable: what is not certain is in doubt", async (_, damage, atMost) => {
    const world = await open();
    const copy = await world.copy();
    await damage(journalOf(copy));
    const before = await readFile(journalOf(copy)).catch(() => undefined);
    const stopped = await copy.command([world.files.same, "-t", "commandes"]);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining("rec-push runs repair") });
    const repaired = await copy.command(["runs", "repair"]);
    expect(repaired).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Next: rec-push resume ${copy.run}`),
    });
    // What was damaged stays beside it, for whoever can read more of it.
    expect(await readFile(`${journalOf(copy)}-damaged`).catch(() => undefined)).toEqual(before);
    const [, doubtful = "0"] = /(\d+) creates? of \S+ counts? as in doubt/.exec(repaired.stdout) ?? [];
    expect(Number(doubtful)).toBeGreaterThan(0);
    expect(Number(doubtful)).toBeLessThanOrEqual(atMost);
    expect(await copy.command(["runs", "repair"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("nothing is damaged"),
    });
    await settle(copy);
    await expectWhole(copy, world.files.same);
  });

  it("changes nothing where the file is another one now, and says what leads on", async () => {
    const world = await open();
    const copy = await world.copy();
    await rm(journalOf(copy));
    const text = await readFile(world.files.same, "utf8");
    await writeFile(world.files.same, text.replace("1012", "1999"));
    const refused = await copy.command(["runs", "repair"]);
    await writeFile(world.files.same, text);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("bring ") });
    expect(refused.stdout).toContain("rec-push ledger add FILE --table NAME");
    expect(existsSync(journalOf(copy))).toBe(false);
    expect((await copy.command([world.files.same, "-t", "commandes"])).code).toBe(1);
  });

  it.each(shareOf([0, 1, 2, 3, 4], 2))(
    "keeps a book up to a flipped bit in line %i, and creates nothing until it is said what is there",
    async (line) => {
      const world = await open();
      const copy = await world.copy();
      const book = await bookOf(copy);
      await flip(book, line);
      const damaged = await readFile(book);
      const updates = [world.updates, "-t", "commandes"];
      expect(await copy.command(updates)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("rec-push runs repair"),
      });
      const repaired = await copy.command(["runs", "repair"]);
      const how = line === 0 ? `or move ${book} away` : `book: it is kept up to line ${line}; `;
      expect(repaired.stdout).toContain(how);
      const { length } = await linesOfBook(dirname(book));
      expect(line === 0 ? 0 : length).toBe(line);
      // Without its first line nothing says whose it is.
      if (line === 0) await rename(book, `${book}-damaged`);
      expect(await readFile(`${book}-damaged`)).toEqual(damaged);
      // Where the end of the earlier run was lost, its creates are in doubt: all of them are there.
      const listed = (await copy.command(["runs", "--json"])).events() as { run: string; doubt?: string }[];
      const others = listed.filter(({ run, doubt }) => doubt !== undefined && run !== copy.run);
      for (const { run, doubt } of others)
        expect((await copy.command(["resume", run, "--in-doubt", `${doubt}=applied`])).code).toBe(0);
      expect(await copy.command(updates)).toMatchObject({ code: 0 });
      const full = ["-t", "commandes", "--exports", "full"];
      const before = copy.held().length;
      expect(await copy.command([world.files.grown, ...full])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("ledger add FILE"),
      });
      expect(copy.held()).toHaveLength(before);
      for (const file of [world.first, world.thereFile])
        expect((await copy.command(["ledger", "add", file, "-t", "commandes"])).code).toBe(0);
      if (listed.some(({ run }) => run === copy.run)) await settle(copy);
      await expectWhole(copy, world.files.same);
    },
  );
});
