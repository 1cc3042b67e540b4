import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { readJournalLines } from "../../src/store/table-lock.ts";
import { decisionOn } from "../support/decide.ts";
import { openWorld as openInProcess } from "../support/open-world.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { startProcess } from "../support/run-process.ts";
import { runsIn, tableIn } from "../support/table-parts.ts";
import { makeFile } from "../support/temp-files.ts";

const creates = (from: number, rows: number): string =>
  ["num_commande", ...Array.from({ length: rows }, (_, at) => from + at), ""].join("\n");

/** A state directory with a run that is open because its process was killed, and functions to push more. */
async function openWorld() {
  const sandbox = await openSandbox({ faults: ["latency=30"] });
  const home = makeStateHome();
  const state = join(home, "rec-push");
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const pace = ["--batch-size", "1", "--concurrency", "1"];
  const killed = await makeFile("killed.csv", creates(1000, 40));
  const first = startProcess([killed, "-v", "-t", "commandes", ...pace], env);
  await first.waitForStdout(/(200 Update Items OK[^]*){3}/);
  first.child.kill("SIGKILL");
  await first.ended;
  const [run = ""] = await readdir(runsIn(state));
  const held = () => heldBy(sandbox).map(({ num_commande: number }) => number);
  return {
    run,
    held,
    state,
    killed,
    command: (argv: readonly string[]) => startProcess(argv, env).ended,
    push: async (from: number, rows: number, table = "commandes") =>
      startProcess([await makeFile("more.csv", creates(from, rows)), "-t", table, ...pace], env).ended,
    /** The number of records that the service holds more than once. */
    twice: () => {
      const numbers = held();
      return numbers.length - new Set(numbers).size;
    },
  };
}

describe.runIf(process.platform === "linux")("a journal", () => {
  it.each(
    shareOf<[string, (path: string) => unknown]>(
      [
        ["a pipe", (path) => execFileSync("mkfifo", [path])],
        ["a directory", (path) => mkdir(path)],
      ],
      1,
    ),
  )("whose place %s has stops its own table only, and says how it goes on", async (_, put) => {
    const { state, run, killed, push, command, held, twice } = await openWorld();
    const journal = join(runsIn(state), run, "journal");
    await rm(journal);
    await put(journal);
    expect((await push(5000, 2, "factures")).code).toBe(0);
    const listed = await command(["runs"]);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain(run);
    const { code, stderr } = await push(6000, 2);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `the journal ${journal} cannot be read: something other than a file is in its place`,
    );
    expect(stderr).toContain("rec-push ledger add FILE --table NAME");
    // What it created is not known, so that giving it up frees nothing.
    expect((await command(["runs", "abandon", run])).code).toBe(1);
    expect((await push(6000, 2)).code).toBe(1);
    const there = await makeFile("there.csv", ["num_commande", ...held(), ""].join("\n"));
    expect((await command(["ledger", "add", there, "-t", "commandes"])).code).toBe(0);
    expect((await push(6000, 2)).code).toBe(0);
    const full = ["--exports", "full", "--identify-by", "record"];
    expect((await command([killed, "-t", "commandes", ...full])).code).toBe(0);
    expect(held()).toHaveLength(42);
    expect(twice()).toBe(0);
  });

  it.skipIf(process.platform === "win32")(
    "that others may write to names first what makes it usable again, which leads on",
    async () => {
      const { push, command, directoryOf, runs, sandbox, numbers } = await openInProcess();
      const file = await makeFile("a.csv", creates(1000, 5));
      sandbox.setFaults(["status=401,skip=1"]);
      expect((await push([file, "--batch-size", "1", "--concurrency", "1"])).code).toBe(5);
      sandbox.setFaults([]);
      const [run = ""] = await runs();
      const journal = join(directoryOf(run), "journal");
      await chmod(journal, 0o664);
      const MEND =
        "if nobody else has changed it, make it yours alone (chown, chmod go-w), then run the same command";
      expect(await push([file])).toMatchObject({ code: 1, stderr: expect.stringContaining(MEND) });
      expect((await command(["runs"])).stdout).toContain(`Next: ${MEND}`);
      await chmod(journal, 0o600);
      expect(await push([file])).toMatchObject({ code: 0, stdout: expect.stringContaining("5 accepted") });
      expect(numbers()).toHaveLength(5);
    },
  );

  it("that lost lines which were on disk is refused, and nothing of it is sent again", async () => {
    const { state, run, killed, command, push, twice } = await openWorld();
    const journal = join(runsIn(state), run, "journal");
    const lines = (await readFile(journal, "utf8")).split(/(?<=\n)/);
    // The number of lines that the lock knows: the kill may come between a line and its note there.
    const known = await readJournalLines(await tableIn(state), run);
    expect(known).toBeGreaterThan(4);
    for (const left of [1, 4, known - 1]) {
      await writeFile(journal, lines.slice(0, left).join(""));
      const { code, stderr } = await command([killed, "-t", "commandes"]);
      expect({ left, code, stderr }).toMatchObject({
        left,
        code: 1,
        stderr: expect.stringContaining(`${journal}:${left + 1}: this line of the journal is lost`),
      });
      // The rows of the run in another file.
      expect((await push(1000, 41)).code).toBe(1);
    }
    await writeFile(journal, lines.join(""));
    expect([0, 8]).toContain((await command([killed, "-t", "commandes"])).code);
    expect(twice()).toBe(0);
  });
});

describe("the journal of a run that has ended", () => {
  const pace = ["--batch-size", "1", "--concurrency", "1"];

  /** A run of six creates that a refused token stopped after two and that a second command finished. */
  async function finishInTwo() {
    const world = await openInProcess(["status=401,skip=2,times=1"]);
    const { home, push, runs, directoryOf } = world;
    const argv = [await makeFile("six.csv", creates(1000, 6)), ...pace];
    expect((await push(argv)).code).toBe(5);
    const [run = ""] = await runs();
    const directory = directoryOf(run);
    const older = join(home, "older");
    await cp(directory, older, { recursive: true });
    expect((await push(argv)).code).toBe(0);
    return { ...world, argv, run, directory, journal: join(directory, "journal"), older };
  }

  it("is gone: the book says how it ended", async () => {
    const { argv, run, directory, push, command } = await finishInTwo();
    expect(existsSync(directory)).toBe(false);
    expect((await command(["runs", run])).stdout).toMatch(/finished[^]*6 rows: 6 accepted/);
    expect(await push(argv)).toMatchObject({ code: 0, stdout: expect.stringContaining("6 skipped") });
  });

  it.each([
    ["as a whole", undefined],
    ["with one line", 1],
    ["with two lines", 2],
    ["with four lines", 4],
  ])("that was restored from an older copy, %s, is not gone on with, and goes again", async (_, left) => {
    const { argv, run, directory, journal, older, push, command, numbers } = await finishInTwo();
    await cp(older, directory, { recursive: true });
    const lines = (await readFile(journal, "utf8")).split(/(?<=\n)/);
    await writeFile(journal, lines.slice(0, left).join(""));
    const told = await command(["runs", run]);
    expect([told.code, told.stdout]).toEqual([0, expect.stringContaining("  finished  ")]);
    expect(await push(argv)).toMatchObject({ code: 0, stdout: expect.stringContaining("6 skipped") });
    expect(existsSync(directory)).toBe(false);
    expect(await command(["resume", run])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("6 accepted"),
    });
    expect(numbers()).toHaveLength(6);
  });

  it("stays while creates of a run that was given up are in doubt, and an older copy of it is not gone on with", async () => {
    const { home, push, command, runs, directoryOf, numbers } = await openInProcess([
      "drop=after,kind=create,skip=2,times=1",
    ]);
    const argv = [await makeFile("six.csv", creates(1000, 6)), ...pace, "--retries", "0"];
    expect((await push(argv)).code).toBe(8);
    const [run = ""] = await runs();
    const journal = join(directoryOf(run), "journal");
    await cp(journal, join(home, "older"));
    expect((await command(["runs", "abandon", run])).code).toBe(0);
    const whole = await readFile(journal, "utf8");
    await cp(join(home, "older"), journal);
    expect(await command(["resume", run])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("this line of the journal is lost: the run had ended"),
    });
    await writeFile(journal, whole);
    expect((await command(await decisionOn(command, "applied", run))).code).toBe(0);
    expect(existsSync(journal)).toBe(false);
    expect((await command(["runs", run])).stdout).toContain("6 accepted (1 of them on your word)");
    expect(await push([...argv, "--exports", "full", "--identify-by", "record"])).toMatchObject({ code: 0 });
    expect(numbers()).toHaveLength(6);
  });
});

describe("a book that was restored from an older copy", () => {
  it.each([
    ["with the prints", ["book", "prints"]],
    ["without them", ["book"]],
  ])("%s is noticed: nothing is created twice, and the advice leads on", async (_, parts) => {
    const { sandbox, home, push, command } = await openInProcess();
    const state = join(home, "rec-push");
    const inTable = ["--table", "commandes"];
    const file = (name: string, rows: number) => makeFile(name, creates(1000, rows));
    expect((await push([await file("first.csv", 20)])).code).toBe(0);
    const table = await tableIn(state);
    for (const part of parts) await cp(join(table, part), join(home, part), { recursive: true });
    expect((await push([await file("second.csv", 50)])).code).toBe(0);
    for (const part of parts) {
      await rm(join(table, part), { recursive: true });
      await cp(join(home, part), join(table, part), { recursive: true });
    }
    const third = await file("third.csv", 70);
    const refused = await push([third]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("is lost, or older than the rest of the state directory");
    expect(refused.stderr).toMatch(/the table's lock names line \d+ of .*book, which has \d+/);
    expect(refused.stderr).toContain("rec-push ledger add FILE --table NAME");
    // Other tables are not stopped, nor are updates, which do not make the book whole.
    expect((await command([third, "--table", "factures"])).code).toBe(0);
    expect((await push([await makeFile("updates.csv", "cle;num_commande\nA;9\n")])).code).toBe(0);
    expect((await push([third])).code).toBe(1);
    expect((await command(["ledger", "add", await file("second.csv", 50), ...inTable])).code).toBe(0);
    expect((await push([third])).code).toBe(0);
    const numbers = heldBy(sandbox).map(({ num_commande: number }) => number);
    expect(numbers.filter((number) => number !== "9").toSorted((a, b) => Number(a) - Number(b))).toEqual(
      creates(1000, 70).trim().split("\n").slice(1),
    );
  });
});

describe("a book without a lock that names a line of it", () => {
  it("stops the creates of its table until it is said what the service holds", async () => {
    const { home, push, command, numbers } = await openInProcess();
    const first = await makeFile("first.csv", creates(1000, 20));
    expect((await push([first])).code).toBe(0);
    const table = await tableIn(join(home, "rec-push"));
    for (const name of await readdir(table)) if (name.startsWith("lock")) await rm(join(table, name));
    const second = await makeFile("second.csv", creates(1000, 25));
    for (let night = 0; night < 2; night++)
      expect(await push([second])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("no lock of the table names a line of"),
      });
    expect((await command(["ledger", "add", first, "--table", "commandes"])).code).toBe(0);
    expect(await push([second])).toMatchObject({ code: 0, stdout: expect.stringContaining("20 skipped") });
    expect(numbers()).toHaveLength(25);
  });
});

describe("the book of a table", () => {
  it("whose last line feed was flipped stops its table, and the advice leads on", async () => {
    const { home, push, command, numbers } = await openInProcess();
    const first = await makeFile("first.csv", creates(1000, 20));
    expect((await push([first])).code).toBe(0);
    const second = await makeFile("second.csv", creates(1000, 25));
    const path = join(await tableIn(join(home, "rec-push")), "book");
    const bytes = await readFile(path);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(path, bytes);
    const refused = await push([second]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/book:4: this line has another byte in the place of its line feed/);
    expect((await command([second, "--table", "factures"])).code).toBe(0);
    expect(refused.stderr).toContain("or keep what can be read of it: rec-push runs repair");
    // Its runs are not known, which is said.
    expect((await command(["runs"])).stdout).toMatch(
      /^.*book {2}damaged\n {2}the book of the table is damaged/m,
    );
    await rm(path);
    expect(await push([second])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("rec-push ledger add FILE --table NAME"),
    });
    expect((await command(["ledger", "add", first, "--table", "commandes"])).code).toBe(0);
    expect(await push([second])).toMatchObject({ code: 0, stdout: expect.stringContaining("20 skipped") });
    expect(numbers()).toHaveLength(25);
  });
});
