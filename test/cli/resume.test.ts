import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { decide, faults, holdsOnce, scenario, write } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";
import { runsIn } from "../support/table-parts.ts";

const creates = (count: number): string =>
  ["num_commande", ...Array.from({ length: count }, (_, at) => 551_000 + at)].join("\n") + "\n";
const CREATES = creates(6);
const FILES = { "a.csv": CREATES };
const TWO_BATCHES = "--batch-size 3 --concurrency 1";
describe("the same command", () => {
  for (const options of ["", "--set etat=nouveau", "--delimiter ,", "--batch-size 2"])
    scenario(`leaves a file out that was pushed before, with a notice and exit 0: ${options}`, FILES, [
      ["push a.csv", 0],
      [`push a.csv ${options}`, 0, "6 rows read: 6 skipped", "was already pushed on "],
      holdsOnce(6),
    ]);
  it("leaves it out under another name, beside another file, twice in a command, and from standard input", async () => {
    const { push, numbers } = await openWorld();
    await push([await makeFile("a.csv", CREATES), await makeFile("b.csv", CREATES)]);
    await push([
      await makeFile("other.csv", "cle,num_commande\nA1,1\n"),
      await makeFile("copy.csv", CREATES),
    ]);
    await push(["-"], { stdin: CREATES });
    expect(numbers()).toHaveLength(7);
  });
  scenario(
    "takes the content of an earlier file of it once, also where its run is open",
    { ...FILES, "b.csv": CREATES },
    [
      faults("status=401,skip=2"),
      [`push a.csv b.csv ${TWO_BATCHES} --again`, 5],
      faults(),
      ["push a.csv b.csv", 0, "b.csv has the same content as a.csv: it is left out", "6 accepted, 6 skipped"],
      holdsOnce(6),
    ],
  );
  for (const options of ["--again", "--run-key 2026-12", "--table factures"])
    scenario(`pushes it again with ${options}`, FILES, [
      ["push a.csv", 0],
      [`push a.csv ${options}`, 0, "6 accepted"],
    ]);
  scenario("pushes a file again that holds updates only", { "a.csv": "cle,num_commande\nA1,1\nA2,2\n" }, [
    ["push a.csv", 0],
    ["push a.csv", 0, "2 accepted"],
  ]);
  scenario("goes on with an open run, and its summary counts the whole run", { "a.csv": creates(9) }, [
    faults("status=401,skip=2"),
    [`push a.csv ${TWO_BATCHES}`, 5, "3 accepted, 6 not sent"],
    faults(),
    [`push a.csv ${TWO_BATCHES}`, 0, "9 rows read: 9 accepted"],
    holdsOnce(9),
    async ({ runs }) => expect(await runs()).toHaveLength(1),
  ]);
  scenario("that would make other records than its open run is refused, naming the difference", FILES, [
    faults("status=401"),
    ["push a.csv", 5],
    faults(),
    ["push a.csv --set etat=nouveau", 2, '--set and default: nothing then, etat="nouveau" now'],
    ["push a.csv --again", 2],
    ["push a.csv --delimiter ';' --batch-size 2", 0],
  ]);
});

describe("rec-push resume", () => {
  const inDoubt = faults("drop=after,kind=create,skip=1,times=1");
  scenario(
    "never sends what is in doubt, exits 8, and counts as accepted what the user says was applied",
    FILES,
    [
      inDoubt,
      [`push a.csv ${TWO_BATCHES}`, 8, /in doubt: 2 creates in .*a.csv, lines 3-4/],
      ["resume", 8],
      ["push a.csv", 8],
      holdsOnce(6),
      decide("applied", 0, "6 rows read: 6 accepted"),
      ["runs --all", 0, "6 accepted"],
      holdsOnce(6),
    ],
  );
  scenario("sends again what the user says was not applied", FILES, [
    faults("drop=before,kind=create,skip=1,times=1"),
    [`push a.csv ${TWO_BATCHES}`, 8],
    holdsOnce(4),
    decide("resend", 0, "6 rows read: 6 accepted"),
    holdsOnce(6),
  ]);
  scenario("needs the file as it was, and accepts the run's name, or part of it", FILES, [
    faults("status=401"),
    ["push a.csv", 5],
    faults(),
    write("a.csv", creates(7)),
    ["resume", 3, "has changed since"],
    ({ directory }) => rm(join(directory, "a.csv")),
    ["resume", 2, "a.csv is gone: bring it back as it was, then rec-push resume", "rec-push runs abandon "],
    holdsOnce(0),
    write("a.csv", CREATES),
    ["resume nothing", 2],
    async ({ runs, command }) => expect((await command(["resume", (await runs())[0]!])).code).toBe(0),
    ["resume", 2, "no run is open"],
  ]);
  it("takes standard input from its copy, which is removed with the run", async () => {
    const { push, command, sandbox, home, runs } = await openWorld(["status=401"]);
    await push(["-"], { stdin: CREATES });
    const [run = ""] = await runs();
    const copy = join(runsIn(join(home, "rec-push")), run, "input");
    expect(await readFile(copy, "utf8")).toBe(CREATES);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    sandbox.setFaults([]);
    expect(await command(["resume"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("6 rows read: 6 accepted"),
    });
    expect(existsSync(copy)).toBe(false);
    expect(await readdir(join(home, "rec-push", "incoming"))).toEqual([]);
  });
  scenario("asks again for headers and query parameters, whose values are not kept", FILES, [
    faults("status=401"),
    ['push a.csv -H "X-Api-Key: canary-header" --query key=canary-query', 5],
    async ({ home, runs }) => {
      const journal = join(runsIn(join(home, "rec-push")), (await runs())[0]!, "journal");
      expect(await readFile(journal, "utf8")).not.toContain("canary");
    },
    faults(),
    ["resume", 2, '-H "X-Api-Key: ..." and --query key=...'],
    ['resume -H "X-Api-Key: a" --query key=canary-query', 0],
  ]);
  scenario("that is refused counts the whole run, and keeps its exit code", FILES, [
    inDoubt,
    [`push a.csv ${TWO_BATCHES}`, 8],
    // The file holds a row that was never in doubt.
    async ({ directory }) => {
      const path = join(directory, "a.in-doubt.csv");
      const [head, , ...rows] = (await readFile(path, "utf8")).split("\n");
      await writeFile(path, [head, ...rows].join("\n").replace(/line \d+ of/, "line 7000 of"));
    },
    ["resume --in-doubt a.in-doubt.csv", 2, /^6 rows read: \d accepted, \d+ in doubt/m],
    [
      "resume --in-doubt a.in-doubt.csv --json",
      2,
      /"event":"summary".*"read":6,.*"notSent":0,.*"exitCode":2/,
    ],
    holdsOnce(6),
  ]);
});
