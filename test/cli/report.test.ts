import { readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { faults, holds, nothingSent, scenario, type Step, wrote } from "../support/scenario.ts";

const FILES = { "orders.csv": "cle,num_commande,date_billed\nA1,1,13/07/2016\nA2,2,14/07/2016\n" };

/** The report as data says this. */
const reports =
  (expected: object): Step =>
  async ({ directory }) =>
    expect(JSON.parse(await readFile(join(directory, "run.json"), "utf8"))).toMatchObject(expected);

describe("--report", () => {
  scenario("describes a push on one page and as data, readable by its user only", FILES, [
    ["push orders.csv --report run.html", 0],
    ["push orders.csv --again --report run.json", 0],
    holds("run.html", '<p class="headline">2 rows read: 2 accepted</p>'),
    holds("run.html", "200 Update Items OK."),
    holds("run.html", "line 2 &quot;13/07/2016&quot;"),
    reports({
      schema: 1,
      state: "ended",
      summary: { read: 2, accepted: 2, exitCode: 0 },
      files: [{ rows: 2, columns: [{}, {}, { format: "DD/MM/YYYY", settledBy: 'line 2 "13/07/2016"' }] }],
    }),
    async ({ directory }) => expect((await stat(join(directory, "run.html"))).mode & 0o777).toBe(0o600),
    wrote("run.html", "run.json"),
  ]);

  const invalid = "cle,num_commande\nA1,x\nA2,y\nA3,3\n";
  for (const [name, content, words, exitCode, told] of [
    ["invalid rows", invalid, "", 3, "2 of 3 rows are invalid"],
    ["a question", "cle,date_billed\nA1,05/07/2016\n", "", 3, "is 5 July 2016 or 7 May 2016"],
    ["rejected rows", invalid, "--on-invalid skip", 4, "more than digits"],
    ["a wrong option", invalid, "--batch-size none", 2, "--batch-size"],
  ] as const)
    scenario(`tells ${name}`, { "orders.csv": content }, [
      [`push orders.csv ${words} --report run.html`, exitCode],
      [`push orders.csv ${words} --report run.json`, exitCode],
      reports({ state: "ended", summary: { exitCode } }),
      holds("run.html", `Exit ${exitCode}, after`),
      holds("run.html", told),
    ]);

  scenario("describes the outcomes of a resumed run, and a check", FILES, [
    faults("status=401,skip=1,times=1"),
    ["push orders.csv --report run.json --batch-size 1 --concurrency 1", 5],
    reports({ summary: { accepted: 1, notSent: 1 } }),
    ["resume --report run.json", 0],
    reports({ summary: { accepted: 2 } }),
    ["check orders.csv --report run.html", 0],
    holds("run.html", "2 rows read: 2 ready to send"),
  ]);

  scenario(
    "goes to no other place than a file of its own, and sends nothing where it cannot",
    { ...FILES, "mine.html": "mine", "mine.json": "mine" },
    [
      ["push orders.csv --report mine.html", 2, "rec-push did not write what is there"],
      ["push orders.csv --report mine.json", 2, "rec-push did not write what is there"],
      holds("mine.html", /^mine$/),
      holds("mine.json", /^mine$/),
      ["push orders.csv --report /no/such/directory/run.html", 2, "is not a directory"],
      ["push orders.csv --report run.pdf", 2, "expected a name that ends in .html or .json"],
      ["push orders.csv --report -", 2, "expected a name that ends in .html or .json"],
      ({ directory }) => symlink(join(directory, "orders.csv"), join(directory, "link.html")),
      ["push orders.csv --report link.html", 2, "it is not a regular file"],
      ["push orders.csv --report run.json --results run.json", 2, "name the same file"],
      nothingSent,
    ],
  );
});
