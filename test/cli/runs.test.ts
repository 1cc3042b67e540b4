import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectEnd, decide, faults, holdsOnce, scenario, type Step, write } from "../support/scenario.ts";
import { runMain } from "../support/run-main.ts";
import { ageClosed, unclose } from "../support/table-parts.ts";

const creates = (count: number): string =>
  ["num_commande", ...Array.from({ length: count }, (_, at) => 1000 + at), ""].join("\n");
const FILES = { "orders.csv": creates(6) };
const PUSH = "push orders.csv --batch-size 2 --concurrency 1 --retries 0";
const FULL = "--exports full --identify-by record";
/** A push that sends as many records as the faults allow. */
const pushed = (fault: string, exit: number): readonly Step[] => [faults(fault), [PUSH, exit], faults()];
const STOPPED = pushed("status=401,skip=1", 5);
const DOUBT = pushed("drop=before,skip=1,times=1", 8);
/** Does something to the directory of the first run. */
const withRun =
  (act: (directory: string, run: string) => unknown): Step =>
  async ({ run, directoryOf }) => {
    await act(directoryOf(run), run);
  };
/** The directory of the first run holds these files. */
const runHolds =
  (...names: readonly string[]): Step =>
  async ({ run, directoryOf }) => {
    const found: readonly string[] = await readdir(directoryOf(run)).catch(() => []);
    expect(found.toSorted()).toEqual(names);
  };
const kept =
  (count: number): Step =>
  async ({ runs }) =>
    expect(await runs()).toHaveLength(count);

describe("rec-push runs", () => {
  scenario("refuses a directory with the runs of an earlier build", FILES, [
    [PUSH, 0],
    withRun((directory) => mkdir(join(directory, "..", "..", "..", "..", "runs"))),
    ...["", " prune", " --json"].map((words): Step => [`runs${words}`, 1, /holds runs of an earlier build/]),
  ]);
  scenario("--json gives a run as one object, with what is in doubt and what to do", FILES, [
    ...pushed("drop=after,kind=create,skip=1,times=1", 8),
    [
      "runs --json",
      0,
      {
        tells: {
          event: "run",
          state: "unsettled",
          table: "commandes",
          read: 6,
          accepted: 5,
          inDoubt: 1,
          exitCode: 8,
          inDoubtAt: [{ kind: "create", rows: 1, first: 3, last: 3 }],
        },
      },
      /"next":\[".* rec-push resume \S+ --in-doubt [0-9a-f]{8}=applied"/,
    ],
    ["runs RUN", 0, "in doubt: 1 create, line 3\n"],
    runHolds("journal"),
    decide("applied", 0),
    ["runs --json", 0, { tells: { state: "finished", accepted: 6, assumedApplied: 1 } }],
  ]);
  const line = (state: string): string =>
    String.raw`\d{8}-\d{6}-\w{6}  ${state.padEnd(10)}  \d{4}-\d\d-\d\d \d\d:\d\d  orders.csv -> `;
  scenario("is a table of what is left to do, of all runs if asked, or of those of a table", FILES, [
    ...STOPPED,
    ...[0, 1, 2].map((at): Step => [`push orders.csv -t others --run-key ${at}`, 0]),
    [
      "runs",
      0,
      new RegExp(`^run +state +when +file\n${line("unfinished")}commandes\n`),
      "3 runs with nothing left to do: rec-push runs --all\n",
      { not: "others" },
    ],
    // The open ones first, although the others are later.
    [
      "runs --all",
      0,
      new RegExp(`^run .*\n${line("unfinished")}commandes\n[^]*(?:${line("finished")}others\n[^]*){3}`),
    ],
    ["runs --all --table others", 0, { not: "commandes" }, /(?:-> others\n[^]*){3}/],
    ["runs --table others", 0, { not: "->" }],
  ]);
  it.each([
    [["abandon"], "runs abandon needs the name of a run"],
    [["forget"], "runs forget needs the name of a run"],
    [["prune", "x"], "too many words: prune x"],
    [["x", "y"], "too many words: x y"],
    [["forget", "--plan", "x"], "too many words: forget"],
  ])("and its words are wrong usage where they make no sense: %j", async (argv, said) => {
    await expectEnd(runMain(["runs", ...argv]), 2, said);
  });
  scenario("says to push with another database version where the first was refused", FILES, [
    ...pushed("status=400,msg=Invalid database version.", 6),
    [
      "runs",
      0,
      /Next: give the right database version, and push \S+ again, which closes this run/,
      { not: "sends the rest" },
    ],
  ]);
});

describe("rec-push runs says of a run whose file is needed", () => {
  const rest = /Next: rec-push resume \S+ sends the rest/;
  scenario("to bring the file back where it has changed or is gone, not where it was touched", FILES, [
    ...STOPPED,
    ["runs", 0, rest],
    write("orders.csv", creates(7)),
    ["runs", 0, /has changed since: bring it back as it was, then rec-push resume \S+ sends the rest/],
    ({ directory }) => rm(join(directory, "orders.csv")),
    ["runs", 0, "is gone: bring it back as it was"],
    write("orders.csv", creates(6)),
    ({ directory }) => utimes(join(directory, "orders.csv"), 2e9, 2e9),
    ["runs", 0, rest],
    ["resume", 0],
    holdsOnce(6),
  ]);
  scenario("nothing that sends what is in doubt from a file that has changed", FILES, [
    ...DOUBT,
    write("orders.csv", creates(7)),
    [
      "runs",
      0,
      /rec-push resume \S+ --in-doubt [0-9a-f]{8}=absent, then push a file that holds them/,
      { not: "resend" },
    ],
    decide("absent", 0),
    [`push orders.csv ${FULL}`, 0],
    holdsOnce(7),
  ]);
  scenario("to push it again for rows that were said to be absent", FILES, [
    faults("drop=before,skip=1,times=1", "status=401,skip=1"),
    [PUSH, 8],
    faults(),
    decide("absent", 0),
    ["runs", 0, /Next: push \S+ again, unless that was done since: it creates the 1 row that you reported/],
    [`push orders.csv ${FULL}`, 0],
    holdsOnce(6),
  ]);
});

describe("rec-push runs abandon", () => {
  scenario("gives a run up, of whose file a later push creates only what was not created", FILES, [
    ...STOPPED,
    ["runs abandon RUN", 0, "a later push leaves those out"],
    ["resume", 2, "no run is open"],
    ["resume RUN", 2],
    ["runs abandon RUN", 2],
    [PUSH, 0, "1 of 6 creates was created before"],
    holdsOnce(6),
    ["runs prune", 0],
    [PUSH, 0, "6 of 6 creates were created before"],
    [`${PUSH} --again`, 0],
    ({ numbers }) => expect(numbers()).toHaveLength(12),
  ]);
  scenario("frees the file of a run that created nothing", FILES, [
    ...pushed("status=401", 5),
    ["runs abandon RUN", 0, "can be pushed again"],
    [PUSH, 0, "6 accepted"],
  ]);
  scenario(
    "does not free the table of a damaged journal, which goes once it is said what it created",
    { ...FILES, "there.csv": creates(1) },
    [
      ...STOPPED,
      withRun(async (directory) => {
        const text = await readFile(join(directory, "journal"), "utf8");
        await writeFile(join(directory, "journal"), text.replace('"accepted"', '"acceptee"'));
      }),
      [PUSH, 1, /journal:\d+: this line of the journal does not match its checksum\. .*without key .* twice/],
      ["runs", 0, "damaged"],
      ["runs abandon RUN", 1],
      [PUSH, 1],
      ["ledger add there.csv", 0, /the run \S+ created, whose journal is lost or damaged/],
      [`${PUSH} ${FULL}`, 0, "5 accepted, 1 skipped"],
      runHolds(),
      holdsOnce(6),
    ],
  );
});

describe("rec-push runs prune", () => {
  const done: Step = [PUSH, 0];
  scenario("removes what is finished; that its file was pushed stays known", FILES, [
    done,
    kept(1),
    ["runs prune", 0, "1 finished run removed"],
    kept(0),
    [PUSH, 0, "6 skipped"],
    holdsOnce(6),
  ]);
  scenario(
    "removes a run that a crash left unclosed after its last entry, once the next push has closed it",
    FILES,
    [
      done,
      ({ state }) => unclose(state),
      withRun((directory) => writeFile(join(directory, "input"), creates(6))),
      ["runs prune", 0],
      runHolds("input", "journal"),
      [PUSH, 0, "6 skipped"],
      runHolds(),
      kept(1),
      ["runs prune", 0],
      kept(0),
    ],
  );
  scenario(
    "is not needed for what a kill left of a journal behind the book's last word: the next push removes it",
    FILES,
    [
      done,
      withRun(async (directory) => {
        await mkdir(directory);
        for (const name of ["journal", "input"]) await writeFile(join(directory, name), "x");
      }),
      ["runs --all", 0, "6 accepted"],
      [PUSH, 0],
      runHolds(),
    ],
  );
  scenario("waits for nobody: a table that is pushed to is named", FILES, [
    done,
    async ({ sandbox, push, command, runs, directory }) => {
      sandbox.setFaults(["latency=1500"]);
      const pushing = push([join(directory, "orders.csv"), "--again"]);
      await expect.poll(runs, { interval: 10 }).toHaveLength(2);
      await expectEnd(command(["runs", "prune"]), 9, "commandes");
      await pushing;
    },
    kept(2),
  ]);
  scenario("leaves open runs alone, however old they are", FILES, [
    ...STOPPED,
    withRun(async (directory) => {
      for (const name of ["", "journal"]) await utimes(join(directory, name), 1e9, 1e9);
    }),
    ["runs prune", 0],
    kept(1),
  ]);
  scenario("happens by itself to runs that were finished 30 days ago", FILES, [
    done,
    ({ state }) => ageClosed(state, 29),
    [PUSH, 0],
    kept(1),
    ({ state }) => ageClosed(state, 31),
    [PUSH, 0, "6 skipped"],
    kept(0),
  ]);
});
