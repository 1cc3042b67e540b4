import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  abandon,
  creates,
  decide,
  faults,
  holdsOnce,
  scenario,
  type ScenarioWorld,
  type Step,
} from "../support/scenario.ts";
import { tableIn } from "../support/table-parts.ts";

const SLOWLY = "push a.csv --batch-size 1 --concurrency 1 --retries 0";
const FULL = "--exports full";

/** Does something to the directory of the first run, to its journal and to a copy of either. */
const withRun =
  (act: (directory: string, journal: string, older: string) => unknown): Step =>
  async ({ run, directoryOf, home }) => {
    const directory = directoryOf(run);
    await act(directory, join(directory, "journal"), join(home, "older"));
  };
/** The journal of the first run is not there. */
const isGone: Step = ({ run, directoryOf }) =>
  expect(existsSync(join(directoryOf(run), "journal"))).toBe(false);
/** Does something to the directory of the table `commandes`, before any other table is there. */
const withTable =
  (act: (table: string, home: string) => unknown): Step =>
  async ({ state, home }) => {
    await act(await tableIn(state), home);
  };

describe("the journal of a run that has ended", () => {
  /** A run of six creates that a refused token stopped after two and that a second command finished. */
  const inTwo: readonly Step[] = [
    faults("status=401,skip=2,times=1"),
    [SLOWLY, 5],
    withRun((directory, _, older) => cp(directory, older, { recursive: true })),
    [SLOWLY, 0],
    isGone,
  ];
  const lines = (left?: number): Step =>
    withRun(async (directory, journal, older) => {
      await cp(older, directory, { recursive: true });
      const text = await readFile(journal, "utf8");
      await writeFile(
        journal,
        text
          .split(/(?<=\n)/)
          .slice(0, left)
          .join(""),
      );
    });
  scenario(
    "is gone, as the book says how it ended; an older copy in its place is not gone on with, and goes again",
    { "a.csv": creates(6) },
    [
      ...inTwo,
      ["runs --all", 0, /finished[^]*6 rows: 6 accepted/],
      ...[undefined, 1, 2, 4].flatMap((left): Step[] => [
        lines(left),
        ["runs --all", 0, "  finished  "],
        [SLOWLY, 0, "6 skipped"],
        isGone,
      ]),
      ["resume RUN", 0, "6 accepted"],
      holdsOnce(6),
    ],
  );
  scenario(
    "goes once the run was given up, also with creates in doubt, and an older copy of it says nothing more",
    { "a.csv": creates(6) },
    [
      faults("drop=after,kind=create,skip=2,times=1"),
      [SLOWLY, 8],
      withRun((_, journal, older) => cp(journal, older)),
      abandon,
      isGone,
      withRun(async (directory, journal, older) => {
        await mkdir(directory, { recursive: true });
        await cp(older, journal);
      }),
      ["resume RUN", 2, "was given up"],
      decide("applied", 0),
      ["runs --all", 0, { not: "in doubt" }],
      [`${SLOWLY} ${FULL}`, 0],
      holdsOnce(6),
    ],
  );
});

const NIGHTS = {
  "first.csv": creates(20),
  "second.csv": creates(50),
  "third.csv": creates(70),
};
const holdsNumbers =
  (count: number): Step =>
  ({ numbers }: ScenarioWorld) =>
    expect(new Set(numbers().filter((number) => number !== "9")).size).toBe(count);

describe("the book of a table", () => {
  for (const parts of [["book", "prints"], ["book"]])
    scenario(
      `that was restored from an older copy is noticed (${parts.join()}): nothing is created twice, and the advice leads on`,
      { ...NIGHTS, "updates.csv": "cle;num_commande\nA;9\n" },
      [
        ["push first.csv", 0],
        withTable(async (table, home) => {
          for (const part of parts) await cp(join(table, part), join(home, part), { recursive: true });
        }),
        ["push second.csv", 0],
        withTable(async (table, home) => {
          for (const part of parts) await rm(join(table, part), { recursive: true });
          for (const part of parts) await cp(join(home, part), join(table, part), { recursive: true });
        }),
        [
          "push third.csv",
          1,
          "is lost, or older than the rest of the state directory",
          /the table's lock names line \d+ of .*book, which has \d+/,
          "rec-push ledger add FILE --table NAME",
        ],
        // Other tables are not stopped, nor are updates, which do not make the book whole.
        ["push third.csv -t factures", 0],
        ["push updates.csv", 0],
        ["push third.csv", 1],
        ["ledger add second.csv", 0],
        ["push third.csv", 0],
        holdsNumbers(70),
        ({ numbers }) => expect(numbers()).toHaveLength(71),
      ],
    );
});
