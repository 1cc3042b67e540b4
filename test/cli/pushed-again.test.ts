import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  creates,
  decide,
  edit,
  faults,
  holdsCount,
  holdsKeys,
  holdsOnce,
  piped,
  scenario,
  type Step,
  write,
} from "../support/scenario.ts";
import { runsIn, tableIn } from "../support/table-parts.ts";

const CREATES = creates(6);
const FILES = { "a.csv": CREATES };
const TWO_BATCHES = "--batch-size 3 --concurrency 1";
describe("the same command", () => {
  scenario("leaves a file out that was pushed before, with a notice and exit 0, under --quiet too", FILES, [
    ["push a.csv", 0],
    ...["", "--set etat=nouveau", "--batch-size 2"].map((options): Step => [
      `push a.csv ${options}`,
      0,
      "6 rows read: 6 skipped",
      "was already pushed on ",
    ]),
    ["push a.csv --run-key ' '", 2, "expected a text"],
    ["push a.csv --quiet", 0, /^\n.*a\.csv was already pushed on .*left out.*--again/],
    holdsOnce(6),
    ...["--again", "--run-key 2026-12", "--table factures"].map((options): Step => [
      `push a.csv ${options}`,
      0,
      "6 accepted",
    ]),
  ]);
  scenario(
    "leaves it out under another name, beside another file, twice in a command, and from standard input",
    { "a.csv": CREATES, "b.csv": CREATES, "other.csv": "cle,num_commande\nA1,1\n", "copy.csv": CREATES },
    [["push a.csv b.csv", 0], ["push other.csv copy.csv", 0], piped(CREATES, "push -", 0), holdsOnce(7)],
  );
  scenario("goes on with a run of --again, which creates all rows once more", FILES, [
    ["push a.csv", 0],
    faults("status=401,skip=1"),
    [`push a.csv ${TWO_BATCHES} --again`, 5],
    faults(),
    ["resume", 0, "6 rows read: 6 accepted"],
    holdsCount(12),
  ]);
  scenario("goes on with an open run, and its summary counts the whole run", { "a.csv": creates(9) }, [
    faults("status=401,skip=2"),
    [`push a.csv ${TWO_BATCHES}`, 5, "3 accepted, 6 not sent"],
    faults(),
    [`push a.csv ${TWO_BATCHES}`, 0, "9 rows read: 9 accepted"],
    holdsOnce(9),
    async ({ runs }) => expect(await runs()).toHaveLength(1),
  ]);
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
  scenario("takes standard input from its copy, which is private, and removed with the run", {}, [
    faults("status=401"),
    piped(CREATES, "push -", 5),
    async ({ state, run }) => {
      const copy = join(runsIn(state), run, "input");
      expect(await readFile(copy, "utf8")).toBe(CREATES);
      expect((await stat(copy)).mode & 0o777).toBe(0o600);
    },
    faults(),
    ["resume", 0, "6 rows read: 6 accepted"],
    async ({ state, run }) => {
      expect(existsSync(join(runsIn(state), run))).toBe(false);
      expect(await readdir(join(state, "incoming"))).toEqual([]);
    },
  ]);
  scenario("asks again for headers and query parameters, whose values are not kept", FILES, [
    faults("status=401"),
    ['push a.csv -H "X-Api-Key: canary-header" --query key=canary-query', 5],
    async ({ state, run }) => {
      const files = [join(runsIn(state), run, "journal"), join(await tableIn(state), "book")];
      const texts = await Promise.all(files.map((path) => readFile(path, "utf8")));
      expect(texts.join("")).toMatch(/^(?![^]*canary)[^]*queryNames/);
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

const MIXED = "cle,num_commande\nA1,551035\n,551036\nA2,551037\n,551038\n";
const PACE = "--batch-size 1 --concurrency 1";
/** What is said of the only run, or of the first of several. */
const firstRun = (...says: readonly (string | { not: string })[]): Step => {
  let first = "";
  return async ({ command, runs }) => {
    if (first === "") [first = ""] = await runs();
    const { stdout } = await command(["runs", first]);
    for (const one of says)
      if (typeof one === "string") expect(stdout).toContain(one);
      else expect(stdout).not.toContain(one.not);
  };
};

describe("content that was pushed before", () => {
  scenario(
    "sends its updates again, so that the service holds the values of the last push",
    { "a.csv": MIXED, "b.csv": "cle,num_commande\nA1,2\nA2,2\n" },
    [
      ["push a.csv", 0],
      ["push b.csv", 0],
      [
        "push a.csv",
        0,
        "4 rows read: 2 accepted, 2 skipped",
        "only its updates are sent, its 2 creates are left out",
      ],
      holdsOnce(4),
      ({ sandbox }) =>
        expect(sandbox.store.snapshot("commandes")).toContainEqual({ cle: "A1", num_commande: "551035" }),
    ],
  );
  scenario("leaves its creates out of a run that was cut off and is resumed", { "a.csv": MIXED }, [
    ["push a.csv", 0],
    faults("status=401"),
    ["push a.csv", 5],
    faults(),
    ["resume", 0, "4 rows read: 2 accepted, 2 skipped"],
    holdsOnce(4),
  ]);
  scenario(
    "is other content for another value of --query, and the same in any order",
    { "a.csv": creates(6) },
    [
      ["push a.csv --query tenant=a --query x=1", 0],
      ["push a.csv --query tenant=b --query x=1", 0, "6 accepted"],
      ["push a.csv --query x=1 --query tenant=a", 0, "6 skipped"],
      faults("status=401"),
      ["push a.csv --query tenant=c", 5],
      faults(),
      ["resume --query tenant=b", 2, "other values of --query"],
      ["resume --query tenant=c", 0],
      ({ numbers }) => expect(numbers()).toHaveLength(18),
    ],
  );
});

describe("the rejects of content that was pushed before", () => {
  const mend = /mend the 1 row in a\.rejects\.csv, then push that file[^:]*: rec-push (.*)/;
  const listed = firstRun("mend the 1 row in ");
  const again: Step = [`push a.csv ${PACE}`, 4, "2 accepted, 1 refused, 1 skipped", mend];
  scenario(
    "are sent again with that content, and end with exit 4 until they are accepted",
    { "a.csv": MIXED },
    [
      faults("status=400,match=551036"),
      [`push a.csv ${PACE}`, 4, /create +1 row .* -> refused/],
      listed,
      again,
      again,
      ["runs --all", 0, "2 accepted, 1 refused, 1 skipped"],
      faults(),
      [`push a.csv ${PACE}`, 0, "3 accepted, 1 skipped", { not: "Next" }],
      ["runs --all", 0, { not: "mend" }],
      holdsOnce(4),
    ],
  );
  scenario("are named no more if they are updates that a later push has sent", { "a.csv": MIXED }, [
    faults("status=400,match=551035"),
    [`push a.csv ${PACE}`, 4, /update +1 row .* -> refused/],
    ["runs --all", 0, "mend the 1 row"],
    faults("status=401,match=551035"),
    // It has not come to that update.
    [`push a.csv ${PACE}`, 5],
    ["runs --all", 0, "mend the 1 row"],
    faults(),
    [`push a.csv ${PACE}`, 0, { not: "Next: mend" }],
    ["runs --all", 0, { not: "mend" }],
    holdsOnce(4),
  ]);
  scenario(
    "are named no more once they were mended and pushed to the end: exit 0",
    { "a.csv": `${creates(3)}x\ny\n` },
    [
      ["push a.csv --on-invalid skip --header-line 1", 4],
      edit("a.rejects.csv", ";x\n", ";5000\n"),
      // One of them is rejected once more.
      ["push a.rejects.csv --on-invalid skip --rejects r.csv", 4],
      ["push a.csv --on-invalid skip --header-line 1", 4],
      edit("a.rejects.csv", ";y\n", ";5001\n"),
      ["push a.rejects.csv --exports delta", 0],
      [
        "push a.csv --on-invalid skip --header-line 1",
        0,
        "it is left out, so that no record is created twice",
        "5 rows read: 5 skipped",
      ],
      holdsOnce(5),
    ],
  );
  scenario(
    "that are gone are written again",
    {
      "a.csv": `${creates(3)}x
`,
    },
    [
      ["push a.csv --on-invalid skip --header-line 1", 4],
      ({ directory }) => rm(join(directory, "a.rejects.csv")),
      ["push a.csv --on-invalid skip --header-line 1", 4, "mend the 1 row in a.rejects.csv"],
    ],
  );
});

describe("content whose rows are left to be mended", () => {
  const files = { "a.csv": creates(3) };
  const refused: readonly Step[] = [
    faults("refuse=num_commande:551001"),
    ["push a.csv --atomic-batches", 4, "2 accepted, 1 refused"],
  ];
  scenario(
    "keeps a refused create of --again to be mended where a later push leaves the creates out",
    { "a.csv": MIXED },
    [
      ["push a.csv", 0],
      faults("status=400,match=551036"),
      [`push a.csv ${PACE} --again`, 4],
      faults(),
      ["runs --all", 0, "mend the 1 row"],
      [`push a.csv ${PACE}`, 0, "only its updates are sent, its 2 creates are left out"],
      ["runs --all", 0, "mend the 1 row"],
    ],
  );
  scenario("is sent again once it is said that its refused create is absent after all", files, [
    ...refused,
    faults("drop=before,match=551001,times=1"),
    ["push a.csv", 8, "1 in doubt, 2 skipped"],
    decide("absent", 0, "push the same file again"),
    ["push a.csv", 0, "1 accepted, 2 skipped"],
    ["push a.csv", 0, "3 skipped"],
    holdsOnce(3),
  ]);
  let first = "";
  scenario("is sent again once the creates of a later push of it are forgotten", files, [
    ...refused,
    async ({ runs }) => ([first = ""] = await runs()),
    faults(),
    ["push a.csv", 0, "1 accepted, 2 skipped"],
    async ({ runs, command }) => {
      const second = (await runs()).find((run) => run !== first)!;
      expect((await command(["runs", "forget", second])).code).toBe(0);
    },
    ["push a.csv", 0, "1 accepted, 2 skipped"],
  ]);
  scenario("is pushed once more with --again, also as mended rejects", files, [
    ...refused,
    edit("a.rejects.csv", "551001", "552001"),
    ["push a.rejects.csv", 0, "1 accepted"],
    ["push a.rejects.csv", 0, "1 skipped", "--again"],
    ["push a.rejects.csv --again", 0, "1 accepted"],
  ]);
  scenario(
    "is sent again as the third file of a command, after one that changed its records",
    {
      "mon.csv": "cle,num_commande\nA1,1\n",
      "tue.csv": "cle,num_commande\nA1,2\n",
      "wed.csv": "cle,num_commande\nA1,1\n",
    },
    [["push mon.csv tue.csv wed.csv", 0, "3 accepted"], holdsKeys("A1=1")],
  );
});

describe("an identity that is named later", () => {
  const IDENTITY = "--exports full --identify-by ref";
  scenario(
    "knows its creates again where its column is read in another way",
    { "a.csv": "ref;state\n001;a\n002;b\n003;c\n", "b.csv": "ref;state\n001;a\n002;other\n003;c\n004;d\n" },
    [
      ["push a.csv --type ref=text", 0],
      [
        `push b.csv --type ref=digits ${IDENTITY}`,
        4,
        "3 creates were created before with other values",
        "1 accepted",
      ],
    ],
  );
});

describe("a run whose journal is lost", () => {
  scenario("does not matter if it held updates only", { "a.csv": "cle,num_commande\nA1,1\n" }, [
    faults("status=401"),
    ["push a.csv", 5],
    faults(),
    async ({ runs, directoryOf }) => rm(directoryOf((await runs())[0]!), { recursive: true }),
    ["push a.csv", 0, "1 accepted"],
  ]);
});
