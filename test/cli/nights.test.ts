import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";
import { tableIn } from "../support/table-parts.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const rowOf = (number: number): string =>
  `${551_000 + number};${String((number % 28) + 1).padStart(2, "0")}/07/2016;${100 + (number % 50)},50`;
const rows = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => rowOf(from + at));
const csv = (lines: readonly string[], header = HEADER): string => [header, ...lines, ""].join("\n");

/** The words of a printed line, without their quotes. */
const wordsOf = (line: string): string[] =>
  (line.match(/(?:'[^']*'|\S)+/g) ?? []).map((word) => word.replaceAll("'", ""));

/** Equal for two lists with the same numbers, each as often. */
const asCounted = (numbers: readonly (string | undefined)[]): string[] =>
  numbers.map(String).sort((a, b) => Number(a) - Number(b));

/** A world with one file that is written anew every night. */
async function openNights(lines: readonly string[] = rows(30)) {
  const world = await openWorld();
  const file = await makeFile("orders.csv", csv(lines));
  const push = (...more: readonly string[]) => world.command([file, "-t", "commandes", ...more]);
  expect((await push()).code).toBe(0);
  return {
    ...world,
    file,
    push,
    night: async (text: string | Buffer, ...more: readonly string[]) => {
      await writeFile(file, text);
      return push(...more);
    },
  };
}

describe("a run that stays open", () => {
  it("is named under --quiet at every push", async () => {
    const { push, runs, sandbox } = await openWorld(["status=500"]);
    const open = await push([await makeFile("a.csv", "cle,num_commande\nA1,551035\n"), "--retries", "0"]);
    expect(open.code).toBe(7);
    sandbox.setFaults([]);
    const [run] = await runs();
    for (const key of ["B1", "B2"]) {
      const text = `cle,num_commande\n${key},551036\n`;
      const end = await push([await makeFile(`${key}.csv`, text), "--quiet", "--delimiter", ","]);
      expect([end.code, end.stdout, end.stderr]).toEqual([
        0,
        `Still open on this table: ${run} (rec-push runs says more, rec-push resume RUN finishes one)\n`,
        "",
      ]);
    }
  });
});

describe("a delta file", () => {
  it("that is delivered again because some of its rows were in doubt creates none of the others twice", async () => {
    const { command, sandbox, numbers } = await openWorld(["drop=after,kind=create"]);
    const file = await makeFile("orders.csv", csv(rows(6)));
    const push = () =>
      command([file, "-t", "commandes", "--exports", "delta", "--retries", "0", "--batch-size", "6"]);
    const pushed = async (lines: readonly string[]) => {
      await writeFile(file, csv(lines));
      return (await push()).code;
    };
    const dates = rows(30).slice(13, 16);
    expect(await pushed([...rows(6), ...dates])).toBe(8);
    sandbox.setFaults([]);
    expect(await pushed([...rows(6), ...dates, rowOf(40), rowOf(41)])).toBe(8);
    expect(await pushed([...rows(6), ...dates, rowOf(40), rowOf(41), rowOf(42)])).toBe(8);
    const all = numbers();
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual(expect.arrayContaining(["551040", "551041", "551042"]));
  });
});

describe("a nightly export", () => {
  it("that grows creates its new rows only, and says so under --quiet too", async () => {
    const { night, numbers } = await openNights();
    for (const count of [35, 36, 60]) {
      const { code, stderr, stdout } = await night(csv(rows(count)), "--quiet");
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toMatch(
        /orders\.csv: \d+ of \d+ creates (was|were) created before .*: left out; \d+ (is|are) new/,
      );
      expect(numbers()).toHaveLength(count);
      expect(new Set(numbers()).size).toBe(count);
    }
  });

  it.each<[string, (lines: string[]) => string | Buffer]>([
    ["sorted anew", (lines) => csv(lines.reverse())],
    ["with CR LF", (lines) => csv(lines).replaceAll("\n", "\r\n")],
    ["below a title", (lines) => `Export des commandes;;\n\n${csv(lines)}`],
    ["with a byte order mark", (lines) => `\ufeff${csv(lines)}`],
    ["with other decimals", (lines) => csv(lines).replaceAll(",50\n", ",5\n")],
    [
      "with its columns in another order",
      (lines) =>
        csv(
          lines.map((line) => line.split(";").reverse().join(";")),
          HEADER.split(";").reverse().join(";"),
        ),
    ],
    ["with commas", (lines) => csv(lines).replaceAll(",", ".").replaceAll(";", ",")],
    [
      "as JSON",
      (lines) =>
        JSON.stringify(
          lines.map((line) => {
            const [number, date, amount] = line.split(";");
            return { num_commande: number, date_billed: date, actual_billable_amount: amount };
          }),
        ),
    ],
  ])("%s creates nothing twice", async (_, write) => {
    const { night, numbers } = await openNights();
    expect((await night(write(rows(32)), "--date-format", "DD/MM/YYYY")).code).toBe(0);
    expect(asCounted(numbers())).toEqual(asCounted(rows(32).map((line) => line.split(";")[0])));
  });

  it("in which a cell was mended stops, and each printed answer creates as many records as it says", async () => {
    const mended = rows(31).map((line, at) => (at === 3 ? line.replace("/07/", "/08/") : line));
    const ask = async () => {
      const world = await openNights();
      const asked = await world.night(csv(mended));
      expect(asked).toMatchObject({ code: 3, stdout: expect.stringContaining("31 not sent") });
      expect(asked.stderr).toContain("29 of 31 creates are equal to records created before");
      expect(world.numbers()).toHaveLength(30);
      return { ...world, asked };
    };
    const { asked } = await ask();
    const answers = [...asked.stderr.matchAll(/^ +(--\S.*?) {3}creates ([\d,]+)/gm)].map(
      ([, options = "", count = ""]) => ({
        options: options.split(" "),
        count: Number(count),
      }),
    );
    expect(answers.map(({ options, count }) => [options.join(" "), count])).toEqual([
      ["--exports full --identify-by num_commande", 1],
      ["--exports full --identify-by record", 2],
      ["--exports delta", 31],
      ["--again", 31],
    ]);
    for (const { options, count } of answers) {
      const { push, numbers } = await ask();
      // The row that was mended cannot be found in the service without its key.
      expect((await push(...options)).code).toBe(options.includes("num_commande") ? 4 : 0);
      expect(numbers()).toHaveLength(30 + count);
    }
  });

  it("of which a cell was mended goes on as printed once the file is added to the ledger", async () => {
    const mended = rows(31).map((line, at) => (at === 3 ? line.replace("/07/", "/08/") : line));
    const { night, push, command, file, numbers } = await openNights();
    const { stderr } = await night(csv(mended));
    const [, add = ""] = /rec-push (ledger add \S+ --table commandes.*?) {3}creates none/.exec(stderr) ?? [];
    expect(stderr).toContain("the 2 that match none are in lines 5, 32\n");
    expect(add).toContain(file);
    expect((await command(wordsOf(add))).code).toBe(0);
    expect((await push()).code).toBe(0);
    expect(numbers()).toHaveLength(30);
    // A file that grows on is another one, and the first push is not wholly in it.
    expect((await night(csv([...mended, rowOf(40)]))).code).toBe(3);
    expect(numbers()).toHaveLength(30);
  });

  it("is compared as before when its formats are pinned", async () => {
    const { night, numbers } = await openNights();
    const pins = ["--type", "date_billed=date:DD/MM/YYYY", "--decimal", ","];
    const { code, stderr } = await night(csv(rows(20, 100)), ...pins);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("cannot be known")]);
    expect(numbers()).toHaveLength(50);
  });

  it("in which a cell was mended is settled by an identity that is given only then", async () => {
    const { night, push, numbers } = await openNights();
    const mended = rows(31).map((line, at) => (at === 3 ? line.replace("/07/", "/08/") : line));
    const identity = ["--exports", "full", "--identify-by", "num_commande"];
    const settled = await night(csv(mended), ...identity);
    expect(settled).toMatchObject({ code: 4, stdout: expect.stringContaining("1 accepted, 30 skipped") });
    expect(settled.stderr).toContain("1 create was created before with other values (line 5): left out");
    expect(numbers()).toHaveLength(31);
    // It was reported before.
    const again = await night(csv([...mended, rowOf(31)]), ...identity, "--quiet");
    expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining("other values") });
    expect(numbers()).toHaveLength(32);
    expect((await push(...identity)).code).toBe(0);
    expect(numbers()).toHaveLength(32);
  });

  it("is not compared by a field that an earlier push repeated or left empty", async () => {
    for (const odd of [rowOf(0).replace("/07/", "/08/"), rowOf(40).replace(/^\d+/, "")]) {
      const { night, numbers } = await openNights([...rows(30), odd]);
      const asked = await night(csv(rows(31)), "--exports", "full", "--identify-by", "num_commande");
      expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining("without this identity") });
      expect(asked.stderr).not.toContain("which every earlier push filled");
      expect(numbers()).toHaveLength(31);
    }
  });

  it.each([
    [2, 3],
    [3, 0],
  ])("that holds a push of %i records and a new one ends with %i", async (count, ended) => {
    const { night, numbers } = await openNights(rows(count, 12));
    expect((await night(csv(rows(count + 1, 12)))).code).toBe(ended);
    expect(numbers()).toHaveLength(ended === 0 ? count + 1 : count);
  });

  it("that shares too few records to be one raises a question, and delta files do not", async () => {
    const { night, numbers } = await openNights();
    const few = csv([rowOf(3), ...rows(10, 100)]);
    expect((await night(few)).code).toBe(3);
    expect(numbers()).toHaveLength(30);
    expect((await night(few, "--exports", "delta")).code).toBe(0);
    expect(numbers()).toHaveLength(41);
  });

  it("of which no row is equal to one before is created with a notice, until it is said what the files hold", async () => {
    const { night, numbers } = await openNights();
    const late = (days: number): string => csv(rows(30).map((line) => line.replace(/[^;]*$/, `${days},00`)));
    const first = await night(late(8));
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(
      /no create equals one made before, although a file of this name was pushed on \S+: all 30 are created/,
    );
    expect(numbers()).toHaveLength(60);
    expect((await night(late(9), "--quiet")).stderr).not.toContain("equals one made before");
    expect((await night(late(10), "--exports", "delta")).stderr).not.toContain("equals one made before");
  });

  it("with other columns raises a question if none of its records is equal", async () => {
    const { night, numbers } = await openNights();
    const other = "num_commande;date_closed\n551000;05/07/2016\n";
    const { code, stderr } = await night(other, "--date-format", "DD/MM/YYYY");
    expect(code).toBe(3);
    expect(stderr).toContain("with other columns, types or another map");
    expect(numbers()).toHaveLength(30);
    expect((await night(csv(rows(20, 200)))).code).toBe(0);
    expect(numbers()).toHaveLength(50);
  });
});

describe("an identity", () => {
  it("that two creates share stops the push, unless only the last of them is wanted", async () => {
    const { night, numbers } = await openNights();
    const repeated = csv([...rows(30), rowOf(30), rowOf(30).replace("/07/", "/08/")]);
    const identity = ["--exports", "full", "--identify-by", "num_commande"];
    const asked = await night(repeated, ...identity);
    expect(asked).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/1 create has the same num_commande.*line 32/),
    });
    const told = await night(repeated, ...identity, "--on-repeat", "last");
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining("1 accepted, 31 skipped") });
    expect(numbers()).toHaveLength(31);
  });

  it("that a create lacks stops the push, and one that no column has is wrong usage", async () => {
    const { night } = await openNights();
    const empty = csv([...rows(30), ";05/07/2016;1,50"]);
    const asked = await night(empty, "--exports", "full", "--identify-by", "num_commande");
    expect(asked).toMatchObject({ code: 3, stderr: expect.stringMatching(/1 create has no value.*line 32/) });
    const unknown = await night(csv(rows(31)), "--exports", "full", "--identify-by", "client");
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("names client") });
    expect(await night(csv(rows(31)), "--exports", "full")).toMatchObject({ code: 2 });
  });
});

describe("the ledger", () => {
  it("judges several files of a command in order, before the first is sent", async () => {
    const { command, file, numbers } = await openNights();
    const [one, two] = await Promise.all([
      makeFile("one.csv", csv(rows(60))),
      makeFile("two.csv", csv(rows(61))),
    ]);
    expect((await command([one, two, "-t", "commandes"])).code).toBe(0);
    expect(numbers()).toHaveLength(61);
    const other = await makeFile("other.csv", csv([rowOf(3), ...rows(20, 300)]));
    await writeFile(file, csv(rows(70)));
    expect((await command([file, other, "-t", "commandes"])).code).toBe(3);
    expect(numbers()).toHaveLength(61);
  });

  it("outlives the runs that are pruned", async () => {
    const { night, command, numbers } = await openNights();
    expect((await command(["runs", "prune"])).stdout).toContain("1 finished run removed");
    expect((await night(csv(rows(31)))).code).toBe(0);
    expect(numbers()).toHaveLength(31);
  });

  it("with a lost or damaged part stops every push of its table, and of no other", async () => {
    const { night, command, home, file, numbers } = await openNights();
    const { readdir, rm } = await import("node:fs/promises");
    const prints = join(await tableIn(join(home, "rec-push")), "prints");
    const [run = ""] = await readdir(prints);
    const path = join(prints, run);
    const bytes = await readFile(path);
    for (let at = 0; at < bytes.length; at += at < 360 ? 90 : 23) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1;
      await writeFile(path, damaged);
      const stopped = await night(csv(rows(31)));
      expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining(`runs forget ${run}`) });
    }
    await rm(path);
    expect(await night(csv(rows(31)))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not there"),
    });
    expect(numbers()).toHaveLength(30);
    expect((await command([file, "-t", "factures"])).code).toBe(0);
    await writeFile(path, bytes);
    expect((await night(csv(rows(31)))).code).toBe(0);
    expect(numbers()).toHaveLength(31);
  });

  it("that is lost as a whole never counts as empty", async () => {
    const { night, command, home, runs, numbers } = await openNights();
    const { rm } = await import("node:fs/promises");
    const [run = ""] = await runs();
    await command(["runs", "prune"]);
    await rm(join(await tableIn(join(home, "rec-push")), "prints"), { recursive: true });
    expect(await night(csv(rows(31)))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not there"),
    });
    expect(numbers()).toHaveLength(30);
    expect((await command(["runs", "forget", run])).code).toBe(0);
    expect((await night(csv(rows(31)))).code).toBe(0);
    expect(numbers()).toHaveLength(61);
  });

  it("knows the creates of the same delta file when it comes again", async () => {
    const { sandbox, command, push, numbers } = await openWorld();
    const delta = ["-t", "commandes", "--exports", "delta"];
    const one = await makeFile("one.csv", csv([...rows(30), "x;05/07/2016;1,50"]));
    expect((await push([one, ...delta, "--on-invalid", "skip"])).code).toBe(4);
    const two = await makeFile("two.csv", csv(rows(8, 26)));
    for (let night = 0; night < 3; night++) {
      expect((await command([two, ...delta, "--date-format", "DD/MM/YYYY"])).code).toBe(0);
      expect(numbers()).toHaveLength(34);
    }
    expect(sandbox.store.snapshot("commandes")).toHaveLength(34);
  });

  it("takes creates out that are no longer there, so that even the same file creates them again", async () => {
    const { command, push, numbers } = await openNights();
    const deleted = await makeFile("deleted.csv", csv(rows(4)));
    const removed = await command([
      "ledger",
      "remove",
      deleted,
      "-t",
      "commandes",
      "--date-format",
      "DD/MM/YYYY",
    ]);
    expect(removed).toMatchObject({ code: 0, stderr: expect.stringContaining("4 of 4 creates taken out") });
    expect((await push()).code).toBe(0);
    expect(numbers()).toHaveLength(34);
    expect((await push()).code).toBe(0);
    expect(numbers()).toHaveLength(34);
  });

  it("forgets a run whose records the user has taken back", async () => {
    const { command, push, runs, numbers } = await openNights();
    const [run = ""] = await runs();
    expect((await command(["runs", "forget", run])).stdout).toContain("30 creates");
    expect((await push()).code).toBe(0);
    expect(numbers()).toHaveLength(60);
  });

  it("counts what the user adds as created, each as often as the file holds it", async () => {
    const { command, numbers } = await openWorld();
    const there = await makeFile("there.csv", csv([...rows(20), rowOf(0)]));
    expect((await command(["ledger", "add", there, "-t", "commandes"])).stderr).toContain(
      "21 of 21 creates added",
    );
    expect((await command(["ledger", "add", there, "-t", "commandes"])).stderr).toContain(
      "0 of 21 creates added",
    );
    const all = await makeFile("all.csv", csv([...rows(25), rowOf(0), rowOf(0)]));
    expect((await command([all, "-t", "commandes"])).code).toBe(0);
    expect(numbers()).toHaveLength(6);
  });

  it("is the same for all names of this machine, and different for another table or --run-key", async () => {
    const { command, file, sandbox, numbers } = await openNights();
    await writeFile(file, csv(rows(31)));
    const other = sandbox.url.replace("127.0.0.1", "localhost");
    expect((await command([file, "-t", "commandes", "--url", other])).code).toBe(0);
    expect(numbers()).toHaveLength(31);
    expect((await command([file, "-t", "commandes", "--run-key", "other shop"])).code).toBe(0);
    expect(numbers()).toHaveLength(62);
  });

  it("asks about records of another database version, and knows them once it is said what the files are", async () => {
    const { night, numbers } = await openNights();
    const version = ["--db-version", "8"];
    expect((await night(csv(rows(31)), ...version)).code).toBe(3);
    const told = await night(csv(rows(31)), ...version, "--exports", "full", "--identify-by", "record");
    expect(told.code).toBe(0);
    expect(numbers()).toHaveLength(31);
  });
});

describe("doubt", () => {
  const PACE = ["--concurrency", "1", "--batch-size", "10", "--retries", "0"];

  it("counts as created in a later push, which refers to the run that left it", async () => {
    const { sandbox, command, push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", csv(rows(30)));
    sandbox.setFaults(["drop=before,kind=create,times=2"]);
    const first = await push([file, ...PACE]);
    expect(first.code).toBe(8);
    sandbox.setFaults([]);
    const [run = ""] = first.stdout.match(/resume (\S+)/)?.slice(1) ?? [];
    await writeFile(file, csv(rows(35)));
    const grown = await command([file, "-t", "commandes"]);
    expect(grown.code).toBe(8);
    expect(grown.stderr).toContain("in doubt since the run");
    const held = numbers().length;
    // Each record in the service is there once.
    expect(new Set(numbers()).size).toBe(held);
    expect(run === "" || grown.stderr.includes(run)).toBe(true);
    // The file has changed since, so the run cannot send again: its records are forgotten, and the next push creates them.
    const resent = await command(await decisionOn(command, "resend"));
    expect(resent).toMatchObject({ code: 2, stderr: expect.stringContaining("has changed since") });
    await command(await decisionOn(command, "absent"));
    expect((await command([file, "-t", "commandes"])).code).toBe(0);
    expect(asCounted(numbers())).toEqual(asCounted(rows(35).map((line) => line.split(";")[0])));
  });

  it("is reported each time the file is pushed again, until it is settled", async () => {
    const { sandbox, command, push, runs } = await openWorld();
    sandbox.setFaults(["drop=before,kind=create,times=1"]);
    const small = await makeFile("small.csv", csv(rows(30)));
    expect((await push([small, ...PACE, "--batch-size", "40"])).code).toBe(8);
    sandbox.setFaults([]);
    const [run = ""] = await runs();
    const grown = await makeFile("grown.csv", csv(rows(40)));
    for (const quiet of [[], [], ["--quiet"]]) {
      const told = await command([grown, "-t", "commandes", ...quiet]);
      expect(told).toMatchObject({
        code: 8,
        stderr: expect.stringContaining(`in doubt since the run ${run}`),
      });
    }
  });

  it("that is settled since still counts for a delta file that comes again", async () => {
    const { sandbox, command, numbers } = await openWorld();
    const delta = ["-t", "commandes", "--exports", "delta", "--date-format", "DD/MM/YYYY"];
    const one = await makeFile("one.csv", csv(rows(12)));
    sandbox.setFaults(["drop=after,kind=create,times=1"]);
    expect((await command([one, ...delta])).code).toBe(8);
    sandbox.setFaults([]);
    const two = await makeFile("two.csv", csv([rowOf(0), ...rows(5, 50)]));
    expect((await command([two, ...delta])).code).toBe(8);
    expect((await command(await decisionOn(command, "applied"))).code).toBe(0);
    expect((await command([two, ...delta])).code).toBe(0);
    expect(new Set(numbers()).size).toBe(numbers().length);
  });

  it("outlives a run that is given up, and is settled by that run's name", async () => {
    const { sandbox, command, push, runs, numbers } = await openWorld();
    const file = await makeFile("orders.csv", csv(rows(30)));
    sandbox.setFaults(["drop=before,kind=create,skip=1,times=1"]);
    expect((await push([file, ...PACE])).code).toBe(8);
    sandbox.setFaults([]);
    const [run = ""] = await runs();
    await command(["runs", "abandon", run]);
    await writeFile(file, csv(rows(31)));
    const grown = await command([file, "-t", "commandes"]);
    expect(grown).toMatchObject({
      code: 8,
      stdout: expect.stringMatching(new RegExp(`resume ${run} --in-doubt [0-9a-f]{8}=absent`)),
    });
    expect(numbers()).toHaveLength(22);
    const absent = await decisionOn(command, "absent", run);
    await command(["runs", "prune"]);
    expect(await command(absent)).toMatchObject({ code: 0 });
    expect((await command([file, "-t", "commandes"])).code).toBe(0);
    expect(new Set(numbers()).size).toBe(31);
    expect(numbers()).toHaveLength(31);
  });

  it("leaves to a later push what an open run has not sent, and the run does not send it again", async () => {
    const { sandbox, command, push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", csv(rows(30)));
    sandbox.setFaults(["status=401,skip=3"]);
    expect((await push([file, ...PACE])).code).toBe(5);
    expect(numbers().length).toBeLessThan(30);
    sandbox.setFaults([]);
    const copy = await makeFile("grown.csv", csv(rows(33)));
    expect((await command([copy, "-t", "commandes"])).code).toBe(0);
    expect(numbers()).toHaveLength(33);
    const resumed = await command(["resume"]);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("skipped") });
    expect(numbers()).toHaveLength(33);
    expect((await command(["resume"])).stderr).toContain("no run is open");
  });
});
