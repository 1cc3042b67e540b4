import { readFile } from "node:fs/promises";
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
      outcomes(outcome),
    ]);
  scenario("say what became of the rows that were left in a file of rows in doubt", FILES, [
    ...DOUBT,
    deleteRows("orders.in-doubt.csv", "551001"),
    ["resume --in-doubt orders.in-doubt.csv --results r.csv", 0],
    rows(
      "r.csv outcome msg",
      "accepted Update Items OK.",
      "accepted taken as applied",
      "accepted Update Items OK.",
    ),
  ]);
  scenario("are written by the resume that asks for them, and no more for a run that is closed", FILES, [
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
  scenario("show rows that an earlier push left in doubt as such", FILES, [
    ...DOUBT,
    abandon,
    ["push orders.csv --results r.csv --exports full", 8],
    outcomes("skipped"),
    holds("r.csv", /(?:,|;)skipped.*in doubt[^]*skipped.*in doubt[^]*skipped.*in doubt/),
  ]);
  scenario("are written after a kill by the command that decides", FILES, [
    faults("hang,after-applying,kind=create"),
    killAtHang("push orders.csv --results r.csv"),
    ["resume", 8],
    decide("applied --results r.csv", 0),
    outcomes("accepted"),
  ]);
});
