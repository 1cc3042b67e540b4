import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect } from "vitest";
import {
  abandon,
  decide,
  faults,
  holds,
  killAtHang,
  nothingSent,
  proven,
  scenario,
  type Step,
  write,
  wrote,
} from "../support/scenario.ts";

type Result = Readonly<Record<string, unknown>>;

async function resultsIn(directory: string, name = "r.ndjson"): Promise<readonly Result[]> {
  const lines = (await readFile(join(directory, name), "utf8")).split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as Result);
}

/** What became of each row, in the order of the file. */
const outcomes =
  (...expected: readonly string[]): Step =>
  async ({ directory }) =>
    expect((await resultsIn(directory)).map(({ outcome }) => outcome)).toEqual(expected);
const SLOW = "--batch-size 1 --retries 0 --concurrency 1";

describe("--results", () => {
  /** Seven rows, one for each outcome except those of a failing service. */
  const rows = "cle,num_commande\nA1,1\nA2,x\nA3,3\n,4\nA5,\nA3,6\nA7,7\n";
  scenario("has every row once, in file order, with what became of it", { "a.csv": rows }, [
    faults("refuse=num_commande:7"),
    ["push a.csv --on-invalid skip --on-repeat last --results r.ndjson --json", 4],
    async ({ directory, last }) => {
      const found = await resultsIn(directory);
      expect(found.map(({ line, cle, outcome }) => [line, cle, outcome])).toEqual([
        [2, "A1", "accepted"],
        [3, "A2", "rejected"],
        [4, "A3", "skipped"],
        [5, null, "accepted"],
        [6, null, "skipped"],
        [7, "A3", "accepted"],
        [8, "A7", "refused"],
      ]);
      expect(found[0]).toEqual({
        file: join(directory, "a.csv"),
        line: 2,
        cle: "A1",
        outcome: "accepted",
        batch: expect.any(Number),
        status: 200,
        msg: "Update Items OK.",
        attempts: expect.any(Number),
      });
      expect(found[1]).toMatchObject({ batch: null, status: null, attempts: null });
      expect(found[1]?.["msg"]).toContain("num_commande: it holds more than digits");
      expect([found[2]?.["msg"], found[4]?.["msg"]]).toEqual([
        "a later row has the same key",
        "nothing to send",
      ]);
      const summary = JSON.parse(last.stdout.trim().split("\n").at(-1)!) as Result;
      for (const outcome of ["accepted", "refused", "rejected", "skipped", "notSent", "failed", "inDoubt"])
        expect(found.filter((row) => row["outcome"] === outcome)).toHaveLength(Number(summary[outcome]));
      expect((await stat(join(directory, "r.ndjson"))).mode & 0o777).toBe(0o600);
    },
  ]);
  for (const [fault, content, words, exit, ...expected] of [
    ["status=500", "cle,n\nA1,1\nA2,2\nA1,3\n", "", 7, "failed", "failed", "notSent"],
    ["drop=after", "n\n1\n2\n3\n", "--max-failed 1", 8, "inDoubt", "notSent", "notSent"],
    ["status=401", "cle,n\nA1,1\nA2,2\nA1,3\n", "", 5, "notSent", "notSent", "notSent"],
  ] as const)
    scenario(`has rows that a failing service leaves: ${fault}`, { "a.csv": content }, [
      faults(fault),
      [`push a.csv --results r.ndjson ${SLOW} ${words}`, exit],
      outcomes(...expected),
    ]);
  scenario(
    "is a CSV that spreadsheets open: delimiter of the input, byte order mark, no formulas",
    { "a.csv": "cle;n_amount\nA1;1,5\nA2;2,5\n" },
    [
      faults('status=422,msg="=2+3; so"'),
      ["push a.csv --results r.csv", 4],
      async ({ directory }) => {
        const text = await readFile(join(directory, "r.csv"), "utf8");
        expect(text.startsWith("\ufefffile;line;cle;outcome;batch;status;msg;attempts\r\n")).toBe(true);
        const rows: Record<string, string>[] = parse(text, { bom: true, delimiter: ";", columns: true });
        expect(rows).toHaveLength(2);
        expect(rows[1]).toMatchObject({ line: "3", cle: "A2", outcome: "refused", status: "422" });
        expect(rows[1]?.["msg"]?.startsWith("'=2+3; ")).toBe(true);
      },
    ],
  );
  const json = [1, 2, 3].map((n) => `{"cle":"J${n}","num_commande":${n}}`).join(",");
  scenario(
    "has the rows of every file, each told apart in JSON of one line",
    { "a.csv": "cle,num_commande\nC1,1\n", "b.json": `[${json}]` },
    [
      faults("refuse=num_commande:2"),
      ["push a.csv b.json --results r.ndjson", 4],
      async ({ directory }) =>
        expect((await resultsIn(directory)).map(({ cle, outcome }) => [cle, outcome])).toEqual([
          ["C1", "accepted"],
          ["J1", "accepted"],
          ["J2", "refused"],
          ["J3", "accepted"],
        ]),
    ],
  );
  for (const [name, delimiter] of [
    ["r.csv", ";"],
    ["r.ndjson", ","],
  ] as const)
    scenario(
      `takes the place of the results of an earlier run: ${name}, ${JSON.stringify(delimiter)}`,
      { "a.csv": `cle${delimiter}num_commande\nkey-1${delimiter}1\n` },
      [
        [`push a.csv --results ${name}`, 0],
        holds(name, "key-1"),
        write("a.csv", `cle${delimiter}num_commande\nkey-2${delimiter}1\n`),
        [`push a.csv --results ${name}`, 0],
        holds(name, /^(?!.*key-1)[^]*key-2/s),
        // Nothing is left of them where nothing is sent.
        write("a.csv", `cle${delimiter}num_commande\nkey-2${delimiter}x\nA${delimiter}1\n`),
        [`push a.csv --results ${name}`, 3],
        wrote(),
      ],
    );
  scenario(
    "takes the place of results whose first key is longer than what is looked at, and of an empty file",
    { "a.csv": `cle,num_commande\n${"K".repeat(100_000)},1\n`, "r.ndjson": "" },
    [["push a.csv --results r.ndjson", 0], ["push a.csv --results r.ndjson", 0], holds("r.ndjson", "KKK")],
  );
  for (const [name, content] of [
    ["another CSV", "file,line,cle,outcome\na.csv,2,A1,accepted\n"],
    ["other NDJSON", '{"file":"a.csv","line":2,"key":"A1"}\n'],
    ["JSON of a run", '{"event":"run"}\n'],
    ["bytes", Buffer.from([0x1f, 0x8b, 0xff, 0x00])],
  ] as const)
    scenario(
      `refuses to replace ${name} that it did not write`,
      { "a.csv": "cle,n_amount\nA1,1\n", "r.csv": content },
      [
        [
          "push a.csv --results r.csv",
          2,
          "the results cannot go to r.csv: rec-push did not write what is there",
          "name another place",
        ],
        nothingSent,
        async ({ directory }) =>
          expect((await readFile(join(directory, "r.csv"))).equals(Buffer.from(content))).toBe(true),
      ],
    );
  scenario("refuses a place that cannot be before anything is sent", { "a.csv": "cle,n_amount\nA1,1\n" }, [
    ["push a.csv --results a.csv", 2, "it is the file that is pushed"],
    ["push a.csv --results -", 2, "they are a file"],
    ["push a.csv --results r.csv --rejects r.csv", 2, "the rejects go there"],
    nothingSent,
  ]);
});

describe("the results of a run that was resumed", () => {
  const rows = "cle,num_commande\nA1,x\nA2,2\nA3,3\nA4,y\nA5,5\nA6,6\n";
  const push = `push a.csv --on-invalid skip --results r.ndjson ${SLOW} --max-failed 1`;
  scenario("have the rows that were settled before", { "a.csv": rows }, [
    faults("refuse=num_commande:2", "status=503,skip=2"),
    [push, 7],
    outcomes("rejected", "refused", "accepted", "rejected", "failed", "notSent"),
    faults(),
    [push, 4, "6 rows read: 3 accepted, 1 refused, 2 rejected"],
    outcomes("rejected", "refused", "accepted", "rejected", "accepted", "accepted"),
  ]);
});

const CSV = ["num_commande;note", "551000;a", "551001;b", "551002;c", ""].join("\n");
const FILES = { "orders.csv": CSV };
const LOST = "drop=before,kind=create,times=1";
const PACE = "--concurrency 1 --retries 0";

/** These columns of the results, row by row. */
const rows =
  (columns: string, ...expected: readonly string[]): Step =>
  async ({ directory }) => {
    const [name = "", ...of] = columns.split(" ");
    const text = await readFile(join(directory, name), "utf8");
    const found: Record<string, string>[] = parse(text, { bom: true, delimiter: ";", columns: true });
    expect(found.map((row) => of.map((column) => row[column]).join(" "))).toEqual(expected);
  };
const outcomesOf = (outcome: string, name = "r.csv"): Step =>
  rows(`${name} line outcome`, ...["2", "3", "4"].map((line) => `${line} ${outcome}`));

/** Three creates in doubt, and their results. */
const DOUBT: readonly Step[] = [
  proven("num_commande;note\n990000;a word\n"),
  faults(LOST),
  [`push orders.csv ${PACE} --results r.csv`, 8],
  outcomesOf("inDoubt"),
];

describe("the results of a run", () => {
  const byNumber = `push orders.csv ${PACE} --exports full --identify-by num_commande`;
  scenario(
    "say of rows in doubt what was decided, beside rows that an earlier push created",
    { "orders.csv": CSV },
    [
      [byNumber, 0],
      write("orders.csv", `${CSV}551003;d\n551004;e\n`),
      faults(`${LOST},skip=1`),
      [`${byNumber} --batch-size 1`, 8],
      decide("applied --results r.csv", 0),
      rows(
        "r.csv outcome msg",
        ...Array.from({ length: 3 }, () => "skipped it was created before"),
        "accepted Update Items OK.",
        "accepted taken as applied",
      ),
    ],
  );
  for (const [answer, outcome] of [
    ["applied", "accepted"],
    ["resend", "accepted"],
    ["absent", "notSent"],
  ] as const)
    scenario(`say what was decided, if the resume asks for them: ${answer}`, FILES, [
      ...DOUBT,
      decide(`${answer} --results r.csv`, 0),
      outcomesOf(outcome),
    ]);
  scenario("are written by the resume that asks for them, and no more for a run that is closed", FILES, [
    ...DOUBT,
    decide("applied --results other.csv", 0),
    outcomesOf("accepted", "other.csv"),
    outcomesOf("inDoubt"),
    async ({ run, command, directory }) =>
      expect(await command(["resume", run, "--results", join(directory, "third.csv")])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("its rows are not judged again for --results"),
      }),
    ({ directory }) => expect(readFile(join(directory, "third.csv"))).rejects.toThrow("ENOENT"),
  ]);
  scenario("show rows that an earlier push left in doubt as such", FILES, [
    ...DOUBT,
    abandon,
    ["push orders.csv --results r.csv --exports full", 8],
    outcomesOf("skipped"),
    holds("r.csv", /(?:,|;)skipped.*in doubt[^]*skipped.*in doubt[^]*skipped.*in doubt/),
  ]);
  scenario("are written after a kill by the command that decides", FILES, [
    faults("hang,after-applying,kind=create"),
    killAtHang("push orders.csv --results r.csv"),
    ["resume", 8],
    decide("applied --results r.csv", 0),
    outcomesOf("accepted"),
  ]);
});
