import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "../support/open-world.ts";
import { runMain } from "../support/run-main.ts";
import {
  creates,
  decide,
  edit,
  expectEnd,
  faults,
  holdsOnce,
  paste,
  scenario,
  type ScenarioWorld,
  type Step,
  write,
} from "../support/scenario.ts";
import { ageClosed, allRunsIn, copyInBook, unclose } from "../support/table-parts.ts";
import { makeDirectory } from "../support/temp-files.ts";

const FILES = { "orders.csv": creates(6) };
const PUSH = "push orders.csv --batch-size 2 --concurrency 1 --retries 0";
const FULL = "--exports full";
/** A push that sends as many records as the faults allow. */
const pushed = (fault: string, exit: number): readonly Step[] => [faults(fault), [PUSH, exit], faults()];
const STOPPED = pushed("status=401,skip=1", 5);
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

/** Names of other runs. */
const MORE = Array.from({ length: 49 }, (_, at) => `20260101-0000${at + 10}-0`);

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
    ["runs --json", 0, { tells: { state: "finished", accepted: 6 } }],
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
    ["runs --all", 0, new RegExp(`${line("unfinished")}commandes\n`), /(?:-> others\n[^]*){3}/],
    ["runs --all --table others", 0, { not: "commandes" }, /(?:-> others\n[^]*){3}/],
    ["runs --table others", 0, { not: "->" }],
  ]);
  it.each([
    [["abandon"], "runs abandon needs the name of a run"],
    [["forget"], "runs forget needs the name of a run"],
    [["prune", "x"], "too many words: prune x"],
    [["forget", "--plan", "x"], "too many words: forget"],
  ])("and its words are wrong usage where they make no sense: %j", async (argv, said) => {
    await expectEnd(runMain(["runs", ...argv]), 2, said);
  });
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
  scenario(
    "does not free the table of a damaged journal, which goes once it is said what it created",
    { ...FILES, "there.csv": creates(1) },
    [
      ...STOPPED,
      withRun(async (directory) => {
        const text = await readFile(join(directory, "journal"), "utf8");
        await writeFile(join(directory, "journal"), text.replace('"accepted"', '"acceptee"'));
      }),
      [
        PUSH,
        1,
        /journal:\d+: this line of the journal does not match its checksum: .*which records without key were/,
      ],
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
  scenario("happens by itself to 50 runs that were finished 30 days ago", FILES, [
    done,
    ({ state, run }) => copyInBook(state, run, MORE.slice(1)),
    ({ state }) => ageClosed(state, 31),
    [PUSH, 0],
    kept(49),
    ({ state, run }) => copyInBook(state, run, MORE.slice(0, 1)),
    ({ state }) => ageClosed(state, 29),
    [PUSH, 0],
    kept(50),
    ({ state }) => ageClosed(state, 31),
    [PUSH, 0, "6 skipped"],
    kept(0),
  ]);
});

const ROWS = "cle,num_commande,date_billed\nA1,1,2016-07-13\nA2,2,soon\n";
const TO_MEND = { "a.csv": ROWS };
const MEND = "mend the 1 row in a.rejects.csv, then push that file: rec-push a.rejects.csv ";
/** A push that left a row to be mended. */
const LEFT: Step = ["push a.csv --on-invalid skip --quiet", 4];
const mend = edit("a.rejects.csv", "soon", "2016-07-14");
describe("rec-push runs says of the rows that a finished run left to be mended", () => {
  scenario("where they are, and the command that pushes them, until they are pushed", TO_MEND, [
    LEFT,
    ["resume RUN", 4, MEND],
    mend,
    ["runs", 0, MEND],
    paste(/then push that file: rec-push (.*)/, 0),
    ({ numbers }) => expect(numbers()).toEqual(["1", "2"]),
    ["runs", 0, { not: "mend" }],
  ]);
  scenario("the same where the input was overwritten or is gone, and to programs", TO_MEND, [
    LEFT,
    write("a.csv", `${ROWS}A3,3,2016-07-15\n`),
    ["runs", 0, MEND],
    ({ directory }) => rm(join(directory, "a.csv")),
    ["runs", 0, MEND],
    ["resume RUN", 4, MEND],
    ["runs --json", 0, /"state":"finished".*"rowsToMend":{"path":"a\.rejects\.csv","rows":1/],
  ]);
  it("a command that works from any directory, with the files that its options name", async () => {
    const { file, directory, env, numbers } = await openWorld();
    const orders = await file("a.csv", ROWS.replace("soon", "soon\nA3,3,"));
    await file("config.json", "{}");
    const words = ["-t", "commandes", "--on-invalid", "skip", "--config", "config.json"];
    expect((await runMain([orders, ...words], { cwd: directory, env })).code).toBe(4);
    const elsewhere = { cwd: await makeDirectory(), env };
    const { stdout } = await runMain(["runs"], elsewhere);
    const [, printed = ""] = /then push that file: rec-push (.*)/.exec(stdout)!;
    expect(printed).toContain(`--config ${join(directory, "config.json")}`);
    await file("a.rejects.csv", "cle,num_commande\nA2,2\n");
    expect((await runMain(splitWords(printed), elsewhere)).code).toBe(0);
    expect(numbers()).toContain("2");
  });
  scenario("nothing, where the rejects of the next export took their place", TO_MEND, [
    LEFT,
    write("a.csv", `${ROWS}A3,3,2016-07-15\n`),
    ["push a.csv --on-invalid skip --exports full", 4],
    ["runs", 0, /^(?:(?!mend the 1 row)[^])*mend the 1 row(?:(?!mend the 1 row)[^])*$/],
    ["runs RUN", 0, { not: "mend the 1 row" }],
  ]);
});

describe("a create that the service refused", () => {
  const rows = Array.from({ length: 12 }, (_, at) => `;${1001 + at}`);
  /** One of the creates is refused; the update is sent by each later push of the file. */
  const files = {
    "a.csv": ["cle;num_commande", ...rows, "A;7", ""].join("\n"),
    "b.csv": "num_commande\n1501\n",
  };
  const PUSH = "push a.csv --atomic-batches --delimiter ';'";
  const refused: readonly Step[] = [faults("refuse=num_commande:1003"), [PUSH, 4], faults()];
  const isGone: Step = async ({ run, runs }) => expect(await runs()).not.toContain(run);
  for (const [name, others, ...prune] of [
    ["rec-push runs prune", 0, ["runs prune", 0]],
    [
      "40 days and 50 other runs",
      1,
      ["push b.csv --exports delta", 0],
      async ({ state, run }: ScenarioWorld) => {
        const other = (await allRunsIn(state)).find((name) => name !== run)!;
        await copyInBook(state, other, MORE);
      },
      ({ state }: ScenarioWorld) => ageClosed(state, 40),
      ["push b.csv --exports delta", 0],
      kept(1),
    ],
  ] as readonly (readonly [string, number, ...Step[]])[])
    scenario(`is not forgotten by ${name}: its file is named until it was mended and pushed`, files, [
      ...refused,
      ...prune,
      ["runs", 0, "mend the 1 row in a.rejects.csv"],
      edit("a.rejects.csv", ";1003", ";2003"),
      ["push a.rejects.csv --atomic-batches", 0],
      // Nothing is left, also where the file is removed then.
      ({ directory }) => rm(join(directory, "a.rejects.csv")),
      [PUSH, 0],
      ["runs prune", 0],
      isGone,
      [PUSH, 0],
      holdsOnce(13 + others),
    ]);
  scenario(
    "is not forgotten because its file is gone, until the user gives it up, which takes no other create out",
    files,
    [
      ...refused,
      ({ directory }) => rm(join(directory, "a.rejects.csv")),
      ["runs prune", 0, /rec-push runs abandon \S+ gives them up/],
      async ({ command, state, run }) =>
        expect((await command(["runs", "prune", "--state-dir", state])).stdout).toContain(
          `rec-push runs --state-dir ${state} abandon ${run} gives them up`,
        ),
      ["runs RUN", 0, "a.rejects.csv is gone, and 1 row of it was never mended and pushed"],
      ["runs abandon RUN", 0, "left to be mended is given up and not sent"],
      ["runs abandon RUN", 2],
      [PUSH, 0],
      ["runs prune", 0],
      [PUSH, 0],
      holdsOnce(12),
    ],
  );
});
