import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { keepKilledWorlds, type KilledWorld as World } from "../support/killed-world.ts";
import { runsIn, tableIn } from "../support/table-parts.ts";

type Copy = Awaited<ReturnType<World["copy"]>>;

const journalOf = ({ state, run }: Copy): string => join(runsIn(state), run, "journal");
const bookOf = async ({ state }: Copy): Promise<string> => join(await tableIn(state), "book");

/** A run that was killed amid its creates, after one of another file. */
const worldOf = keepKilledWorlds();
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
  it("says so where nothing is damaged", async () => {
    const { command, state } = await (await open()).copy();
    expect(await command(["runs", "repair"])).toMatchObject({
      code: 0,
      stdout: `nothing is damaged in ${state}\n`,
    });
  });

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

  it.each<[string, (text: string) => string]>([
    ["longer", (text) => `${text}1999\n`],
    ["as long", (text) => text.replace("1012", "1999")],
  ])("changes nothing where the file is another one now, %s, and says what leads on", async (_, change) => {
    const world = await open();
    const copy = await world.copy();
    await rm(journalOf(copy));
    const text = await readFile(world.files.same, "utf8");
    expect(change(text)).not.toBe(text);
    await writeFile(world.files.same, change(text));
    const refused = await copy.command(["runs", "repair"]);
    await writeFile(world.files.same, text);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("bring ") });
    expect(refused.stdout).toContain("rec-push ledger add FILE --table NAME");
    expect(existsSync(journalOf(copy))).toBe(false);
    expect((await copy.command([world.files.same, "-t", "commandes"])).code).toBe(1);
  });

  it.each(shareOf([0, 1, 2, 3, 4], 2))(
    "keeps what can be read of a book with a flipped bit in line %i, and creates nothing until it is said what is there",
    async (line) => {
      const world = await open();
      const copy = await world.copy();
      await flip(await bookOf(copy), line);
      const damaged = await readFile(await bookOf(copy));
      const updates = [world.updates, "-t", "commandes"];
      expect(await copy.command(updates)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("rec-push runs repair"),
      });
      const repaired = await copy.command(["runs", "repair"]);
      expect(repaired.stdout).toMatch(
        /book: all that can be read is kept, 1 line is lost; no record without key is created/,
      );
      expect(await readFile(`${await bookOf(copy)}-damaged`)).toEqual(damaged);
      expect((await copy.command(["runs"])).stdout).toContain(copy.run);
      // Where the end of the earlier run was lost, its creates are in doubt: all of them are there.
      const listed = (await copy.command(["runs", "--json"])).events() as { run: string; doubt?: string }[];
      const others = listed.filter(({ run, doubt }) => doubt !== undefined && run !== copy.run);
      for (const { run, doubt } of others)
        expect((await copy.command(["resume", run, "--in-doubt", `${doubt}=applied`])).code).toBe(0);
      expect(await copy.command(updates)).toMatchObject({ code: 0 });
      const full = ["-t", "commandes", "--exports", "full", "--identify-by", "record"];
      const before = copy.held().length;
      expect(await copy.command([world.files.grown, ...full])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("ledger add FILE"),
      });
      expect(copy.held()).toHaveLength(before);
      for (const file of [world.first, world.thereFile])
        expect((await copy.command(["ledger", "add", file, "-t", "commandes"])).code).toBe(0);
      await settle(copy);
      await expectWhole(copy, world.files.same);
    },
  );
});
