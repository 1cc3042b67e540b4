import { readFile, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatAnnotation } from "../../src/report/github-reporter.ts";
import { runMain } from "../support/run-main.ts";
import {
  faults,
  holds,
  nothingSent,
  scenario,
  type ScenarioWorld,
  type Step,
  wrote,
} from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

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

const PLAIN = { "orders.csv": "cle,num_commande\nA1,1\nA2,2\n" };
const PUSH = "push orders.csv --log-file @push.log";
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;

const linesOf = async ({ directory }: ScenarioWorld): Promise<readonly string[]> =>
  (await readFile(join(directory, "push.log"), "utf8")).split("\n").slice(0, -1);
const tellsItsRunOnce: Step = async (world) =>
  expect(
    (await linesOf(world)).filter((line) => /Z run \S+: table commandes at http/.test(line)),
  ).toHaveLength(1);

describe("--log-file", () => {
  scenario("gets everything that would be shown, with the time of each line, even with --quiet", PLAIN, [
    [`${PUSH} --quiet --delimiter ,`, 0, /^\n$/],
    async (world) => {
      const found = await linesOf(world);
      for (const line of found) expect(line).toMatch(TIME);
      expect(found.at(-1)).toMatch(/Z exit 0$/);
      expect(found.join("\n")).toMatch(
        /orders\.csv: CSV with[\s\S]*update .* 200 Update[\s\S]*2 rows read: 2 accepted/,
      );
      expect((await stat(join(world.directory, "push.log"))).mode & 0o777).toBe(0o600);
    },
    tellsItsRunOnce,
  ]);
  scenario("is appended to, as events with --json, each with its time and the number of its form", PLAIN, [
    [`${PUSH} --json`, 0],
    [`${PUSH} --json`, 0],
    async (world) => {
      const events = (await linesOf(world)).map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(events.filter(({ event }) => event === "summary")).toHaveLength(2);
      for (const { schema, time } of events)
        expect([schema, `${String(time)} `]).toEqual([1, expect.stringMatching(TIME)]);
      const times = events.map(({ time }) => String(time));
      expect(times).toEqual(times.toSorted());
    },
  ]);
  scenario("holds no secrets", PLAIN, [
    [`${PUSH} --verbose -H 'X-Key: not-for-logs' --query k=hidden-too`, 0],
    async (world) => expect((await linesOf(world)).join("\n")).not.toMatch(/not-for-logs|hidden-too/),
    tellsItsRunOnce,
  ]);
  scenario("that cannot be opened stops the push before anything is sent", PLAIN, [
    ["push orders.csv --log-file /no/such/log", 2, "the log cannot go to /no/such/log: ENOENT"],
    nothingSent,
  ]);
  if (process.platform === "linux")
    scenario("on a full disk stops no push, and says so once", PLAIN, [
      ["push orders.csv --log-file /dev/full", 0],
      ({ last }) => expect(last.stderr.match(/the log \/dev\/full is not complete: ENOSPC/g)).toHaveLength(1),
    ]);
});

async function checkInJob(content: string, argv: readonly string[] = [], env: Record<string, string> = {}) {
  const file = await makeFile("orders.csv", content);
  const workspace = dirname(file);
  const job = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: workspace, ...env };
  const result = await runMain(["check", file, ...argv], { env: job, cwd: workspace });
  const annotations = result.stderr.split("\n").filter((line) => line.startsWith("::"));
  return { ...result, annotations };
}

const invalid = (count: number) =>
  `cle,num_commande\n${Array.from({ length: count }, (_, at) => `A${at},x${at}\n`).join("")}A,1\n`;

describe("in a job of GitHub Actions", () => {
  it("each problem is shown at its line, relative to the repository", async () => {
    const { annotations } = await checkInJob(invalid(2));
    const errors = annotations.filter((line) => line.startsWith("::error"));
    expect(errors[0]).toMatch(/^::error file=orders\.csv,line=2::column 2 "num_commande" holds "x0": /);
    expect(errors[1]).toMatch(/^::error file=orders\.csv,line=3::/);
    expect(annotations.find((line) => line.includes("2 of 3 rows are invalid"))).toMatch(/^::error::/);
    expect(annotations.find((line) => line.startsWith("::warning::"))).toContain("--delimiter comma");
  });

  it("there are at most ten of them, and the last one counts the others", async () => {
    const errors = (await checkInJob(invalid(60))).annotations.filter((line) => line.startsWith("::error"));
    expect(errors).toHaveLength(10);
    expect(errors.at(-1)).toBe("::error::and 52 more problems, which the log names");
  });

  it("standard output stays what it is, and events stay events", async () => {
    const plain = await runMain(["check", await makeFile("a.csv", invalid(1)), "--json"]);
    const { stdout, events } = await checkInJob(invalid(1), ["--json"]);
    expect(stdout).not.toContain("::error");
    expect(events().length).toBe(plain.events().length);
  });
});

describe("a workflow command", () => {
  it("cannot be ended or begun by its texts", () => {
    const text = "100 %\r\n::error::x";
    expect(formatAnnotation({ level: "error", file: "a,line=1::b", line: 2, text })).toBe(
      "::error file=a%2Cline=1%3A%3Ab,line=2::100 %25%0D%0A::error::x",
    );
  });
});
