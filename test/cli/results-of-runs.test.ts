import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect } from "vitest";
import {
  abandon,
  decide,
  deleteRows,
  faults,
  holds,
  killAtHang,
  paste,
  proven,
  scenario,
  type Step,
  write,
} from "../support/scenario.ts";

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
const outcomes = (outcome: string, name = "r.csv"): Step =>
  rows(`${name} line outcome`, ...["2", "3", "4"].map((line) => `${line} ${outcome}`));

/** Three creates in doubt, and their results. */
const DOUBT: readonly Step[] = [
  proven("num_commande;note\n990000;a word\n"),
  faults(LOST),
  [`push orders.csv ${PACE} --results r.csv`, 8],
  outcomes("inDoubt"),
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
      [`${byNumber} --batch-size 1 --results r.csv`, 8],
      decide("applied", 0),
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
    scenario(`are brought up to date by resume --in-doubt ${answer}`, FILES, [
      ...DOUBT,
      decide(answer, 0),
      outcomes(outcome),
    ]);
  scenario("of a run that was given up stay as they are, which the decision on its doubt says", FILES, [
    ...DOUBT,
    abandon,
    decide("applied", 0, "r.csv still say that they are in doubt"),
    outcomes("inDoubt"),
  ]);
  scenario("are brought up to date by resume --in-doubt FILE", FILES, [
    ...DOUBT,
    deleteRows("orders.in-doubt.csv", "551001"),
    ["resume --in-doubt orders.in-doubt.csv", 0],
    rows(
      "r.csv outcome msg",
      "accepted Update Items OK.",
      "accepted taken as applied",
      "accepted Update Items OK.",
    ),
  ]);
  scenario("are written elsewhere by the resume that decides, and no more for a run that is closed", FILES, [
    ...DOUBT,
    decide("applied --results other.csv", 0),
    outcomes("accepted", "other.csv"),
    outcomes("inDoubt"),
    async ({ run, command, directory }) =>
      expect(await command(["resume", run, "--results", join(directory, "third.csv")])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("its rows are not judged again for --results"),
      }),
    ({ directory }) => expect(readFile(join(directory, "third.csv"))).rejects.toThrow("ENOENT"),
  ]);
  scenario("stay as they are where another push or somebody else wrote them since", FILES, [
    ...DOUBT,
    ({ directory }) => writeFile(join(directory, "r.csv"), "mine\r\n", { flag: "a" }),
    decide("applied", 0, "they stay as they are"),
    holds("r.csv", /inDoubt[^]*mine\r\n$/),
  ]);
  scenario("stay as they are if the input is gone, but the decision counts", FILES, [
    ...DOUBT,
    ({ directory }) => rm(join(directory, "orders.csv")),
    decide("applied", 0, "the results in r.csv stay as they are"),
    ["runs --all", 0, "3 accepted"],
  ]);
  scenario(
    "of several files stay as they are: one run cannot tell the rows of the others",
    { "a.csv": "num_commande;note\n1;x\n2;y\n", "b.csv": "num_commande;note\n11;x\n12;y\n" },
    [
      proven("num_commande;note\n990000;z\n"),
      faults(LOST),
      [`push a.csv b.csv ${PACE} --results r.csv`, 8],
      // By then only the run of the first file is open.
      decide("applied", 0, "they stay as they are; --results FILE"),
      rows("r.csv outcome", "inDoubt", "inDoubt", "accepted", "accepted"),
    ],
  );
  scenario("show rows that an earlier push left in doubt as such", FILES, [
    ...DOUBT,
    abandon,
    ["push orders.csv --results r.csv --exports full", 8],
    outcomes("skipped"),
    holds("r.csv", /(?:,|;)skipped.*in doubt[^]*skipped.*in doubt[^]*skipped.*in doubt/),
  ]);
  scenario("are written by the command that decides after a kill", FILES, [
    faults("hang,after-applying,kind=create"),
    killAtHang("push orders.csv --results r.csv"),
    ["resume", 8],
    paste(/if they are there: rec-push (.*)/, 0),
    outcomes("accepted"),
  ]);
});
