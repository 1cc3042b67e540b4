import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { decisionOn } from "../support/decide.ts";
import {
  abandon,
  faults,
  holdsCount,
  holdsNumbers,
  paste,
  scenario,
  type Step,
  write,
} from "../support/scenario.ts";
import { tableIn, unclose } from "../support/table-parts.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const rowOf = (number: number): string =>
  `${551_000 + number};${String((number % 28) + 1).padStart(2, "0")}/07/2016;${100 + (number % 50)},50`;
const rows = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => rowOf(from + at));
const csv = (lines: readonly string[], header = HEADER): string => [header, ...lines, ""].join("\n");
/** The rows of a file in which one cell was mended. */
const MENDED = rows(31).map((line, at) => (at === 3 ? line.replace("/07/", "/08/") : line));

type Says = string | RegExp | { readonly not: string | RegExp };

/** The file is written anew, and pushed. */
const night = (text: string, words: string, exit: number, ...says: readonly Says[]): Step[] => [
  write("orders.csv", text),
  [`>push orders.csv ${words}`, exit, ...says],
];

/** A file that was pushed once, and what is done with it then. */
function nights(name: string, steps: readonly Step[], first: readonly string[] = rows(30)): void {
  scenario(name, { "orders.csv": csv(first) }, [[">push orders.csv", 0], ...steps]);
}

/** The service holds the numbers of these rows, each as often as they do. */
const holdingRows = (lines: readonly string[]): Step =>
  holdsNumbers(...lines.map((line) => line.split(";")[0]!));

const once: Step = ({ numbers }) => expect(new Set(numbers()).size).toBe(numbers().length);

/** The last push printed four answers, and that this one creates so many records. */
const printed =
  (answer: string, count: number): Step =>
  ({ last }) => {
    const answers = [...last.stderr.matchAll(/^ +(--\S.*?) {3}creates ([\d,]+)/gm)];
    expect(answers).toHaveLength(4);
    expect(answers.map((found) => found.slice(1))).toContainEqual([answer, String(count)]);
  };

const printsOf = async (home: string): Promise<string> =>
  join(await tableIn(join(home, "rec-push")), "prints");

const damageOrLose: Step = async ({ home, command, directory }) => {
  const push = (table: string) => command([join(directory, "orders.csv"), "-t", table]);
  const [run = ""] = await readdir(await printsOf(home));
  const path = join(await printsOf(home), run);
  const bytes = await readFile(path);
  for (let at = 0; at < bytes.length; at += at < 360 ? 90 : 23) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 1;
    await writeFile(path, damaged);
    const stopped = await push("commandes");
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining(`runs forget ${run}`) });
  }
  await rm(path);
  const lost = await push("commandes");
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("is not there") });
  expect((await push("factures")).code).toBe(0);
  await writeFile(path, bytes);
};

const forgetRun: Step = async ({ runs, command }) => {
  const [run = ""] = await runs();
  expect((await command(["runs", "forget", run])).stdout).toContain("30 creates");
};

const pushToLocalhost: Step = async ({ command, directory, sandbox }) => {
  const url = sandbox.url.replace("127.0.0.1", "localhost");
  const argv = [join(directory, "orders.csv"), "-t", "commandes", "--url", url];
  expect((await command(argv)).code).toBe(0);
};

const PACE = "--concurrency 1 --batch-size 10 --retries 0";
const DAYS_FIRST = "--date-format DD/MM/YYYY";
const BY_NUMBER = "--exports full --identify-by num_commande";

describe("a run that stays open", () => {
  let run = "";
  const isNamed: Step = ({ last }) =>
    expect(last).toEqual({
      stdout: `Still open on this table: ${run} (rec-push runs says more, rec-push resume RUN finishes one)\n`,
      stderr: "",
    });
  const files = Object.fromEntries(
    ["a", "b", "c"].map((name) => [`${name}.csv`, `cle,num_commande\n${name},551036\n`]),
  );
  scenario("is named under --quiet at every push", files, [
    faults("status=500"),
    ["push a.csv --retries 0", 7],
    faults(),
    async ({ runs }) => ([run = ""] = await runs()),
    ["push b.csv --quiet --delimiter ,", 0],
    isNamed,
    ["push c.csv --quiet --delimiter ,", 0],
    isNamed,
  ]);
});

describe("a delta file", () => {
  const dates = rows(30).slice(13, 16);
  const delta = "--exports delta --retries 0 --batch-size 6";
  scenario(
    "that is delivered again because some of its rows were in doubt creates none of the others twice",
    {},
    [
      faults("drop=after,kind=create"),
      ...night(csv([...rows(6), ...dates]), delta, 8),
      faults(),
      ...night(csv([...rows(6), ...dates, ...rows(2, 40)]), delta, 8),
      ...night(csv([...rows(6), ...dates, ...rows(3, 40)]), delta, 8),
      once,
      ({ numbers }) => expect(numbers()).toEqual(expect.arrayContaining(["551040", "551041", "551042"])),
    ],
  );
});

describe("a nightly export", () => {
  nights(
    "that grows creates its new rows only, and says so under --quiet too",
    [35, 36, 60].flatMap((count) =>
      night(
        csv(rows(count)),
        "--quiet",
        0,
        /^\n.*inferred.*\norders\.csv: \d+ of \d+ creates (was|were) created before .*: left out; \d+ (is|are) new/,
      ).concat(holdsCount(count), once),
    ),
  );

  for (const [name, text] of [
    ["sorted anew", csv(rows(32).toReversed())],
    [
      "with its columns in another order",
      csv([HEADER, ...rows(32)].map((line) => line.split(";").toReversed().join(";"))).replace(/.*\n/, ""),
    ],
    ["with commas", csv(rows(32)).replaceAll(",", ".").replaceAll(";", ",")],
    [
      "as JSON",
      JSON.stringify(
        rows(32).map((line) => {
          const [number, date, amount] = line.split(";");
          return { num_commande: number, date_billed: date, actual_billable_amount: amount };
        }),
      ),
    ],
  ] as const)
    nights(`${name} creates nothing twice`, [...night(text, DAYS_FIRST, 0), holdingRows(rows(32))]);

  // The row that was mended cannot be found in the service without its key.
  for (const [answer, count, exit] of [
    [BY_NUMBER, 1, 4],
    ["--exports full", 2, 0],
    ["--exports delta", 31, 0],
    ["--again", 31, 0],
  ] as const)
    nights(`in which a cell was mended stops, and creates as many records as is printed: ${answer}`, [
      ...night(csv(MENDED), "", 3, "31 not sent", "29 of 31 creates are equal to records created before"),
      printed(answer, count),
      holdsCount(30),
      [`>push orders.csv ${answer}`, exit],
      holdsCount(30 + count),
    ]);

  nights("that was pushed in whole by --exports full is left out by the plain command too", [
    ...night(csv(MENDED), "--exports full", 0, "2 accepted, 29 skipped"),
    [">push orders.csv", 0, "31 skipped"],
    holdsCount(32),
    // Taken out of the ledger, its rows are new again.
    ["ledger remove orders.csv", 0],
    [">push orders.csv", 0, "31 accepted"],
  ]);
  nights("with a correction that was left out by an identity raises the question without it", [
    ...night(csv(MENDED), BY_NUMBER, 4, "1 accepted, 30 skipped"),
    [`>push orders.csv ${BY_NUMBER}`, 0, "31 skipped"],
    [">push orders.csv", 3, "30 of 31 creates are equal"],
    holdsCount(31),
  ]);
  nights("of which a cell was mended goes on as printed once the file is added to the ledger", [
    ...night(csv(MENDED), "", 3, "rows that match none: lines 5, 32\n"),
    paste(/rec-push (ledger add orders\.csv --table commandes.*?) {3}creates none/, 0),
    [">push orders.csv", 0],
    holdsCount(30),
    // A file that grows on is another one, and the first push is not wholly in it.
    ...night(csv([...MENDED, rowOf(40)]), "", 3),
    holdsCount(30),
  ]);
  nights("in which a cell was mended is settled by an identity that is given only then", [
    ...night(
      csv(MENDED),
      BY_NUMBER,
      4,
      "1 accepted, 30 skipped",
      "1 create was created before with other values (line 5): left out",
    ),
    holdsCount(31),
    // It was reported before, and the next one is not.
    ...night(csv([...MENDED, rowOf(31)]), `${BY_NUMBER} --quiet`, 0, { not: "other values" }),
    holdsCount(32),
    ...night(
      csv([...MENDED, rowOf(31)].map((line) => line.replace("551005;06/07", "551005;06/08"))),
      BY_NUMBER,
      4,
      "2 creates were created before with other values (line 7; the others were named before)",
    ),
    [`>push orders.csv ${BY_NUMBER}`, 0],
    holdsCount(32),
  ]);
  for (const [done, odd] of [
    ["repeated", rowOf(0).replace("/07/", "/08/")],
    ["left empty", rowOf(40).replace(/^\d+/, "")],
  ] as const)
    nights(
      `is not compared by a field that an earlier push ${done}`,
      [
        ...night(csv(rows(31)), BY_NUMBER, 3, "without this identity", {
          not: "which every earlier push filled",
        }),
        holdsCount(31),
      ],
      [...rows(30), odd],
    );
  nights("that shares too few records to be one raises a question, and delta files do not", [
    ...night(csv([rowOf(3), ...rows(10, 100)]), "", 3),
    holdsCount(30),
    [">push orders.csv --exports delta", 0],
    holdsCount(41),
  ]);
  const late = (days: number): string => csv(rows(30).map((line) => line.replace(/[^;]*$/, `${days},00`)));
  nights("of which no row is equal to one before is created", [...night(late(8), "", 0), holdsCount(60)]);
  nights("with other columns raises a question if none of its records is equal", [
    ...night(
      "num_commande;date_closed\n551000;05/07/2016\n",
      DAYS_FIRST,
      3,
      "with other columns, types or another map",
    ),
    holdsCount(30),
    ...night(csv(rows(20, 200)), "", 0),
    holdsCount(50),
  ]);
});

describe("an identity", () => {
  nights("that two creates share stops the push, unless only the last of them is wanted", [
    ...night(
      csv([...rows(30), rowOf(30), rowOf(30).replace("/07/", "/08/")]),
      BY_NUMBER,
      3,
      /1 create has the same num_commande.*line 32/,
    ),
    [`>push orders.csv ${BY_NUMBER} --on-repeat last`, 0, "1 accepted, 31 skipped"],
    holdsCount(31),
  ]);
  nights("that a create lacks stops the push, and one that no column has is wrong usage", [
    ...night(csv([...rows(30), ";05/07/2016;1,50"]), BY_NUMBER, 3, /1 create has no value.*line 32/),
    ...night(csv(rows(31)), "--exports full --identify-by client", 2, "names client"),
  ]);
});

describe("the ledger", () => {
  nights("judges several files of a command in order, before the first is sent", [
    write("one.csv", csv(rows(60))),
    write("two.csv", csv(rows(61))),
    [">push one.csv two.csv", 0],
    holdsCount(61),
    write("orders.csv", csv(rows(70))),
    write("other.csv", csv([rowOf(3), ...rows(20, 300)])),
    [">push orders.csv other.csv", 3],
    holdsCount(61),
  ]);
  nights("with a lost or damaged part stops every push of its table, and of no other", [
    write("orders.csv", csv(rows(31))),
    damageOrLose,
    holdsCount(30),
    [">push orders.csv", 0],
    holdsCount(31),
  ]);
  scenario(
    "knows the creates of the same delta file when it comes again",
    { "one.csv": csv([...rows(30), "x;05/07/2016;1,50"]), "two.csv": csv(rows(8, 26)) },
    [
      [">push one.csv --exports delta --on-invalid skip", 4],
      ...[1, 2, 3].flatMap((): Step[] => [
        [`>push two.csv --exports delta ${DAYS_FIRST}`, 0],
        holdsCount(34),
      ]),
    ],
  );
  nights("forgets a run whose records the user has taken back", [
    forgetRun,
    [">push orders.csv", 0],
    holdsCount(60),
  ]);
  scenario(
    "counts what the user adds as created, each as often as the file holds it",
    { "there.csv": csv([...rows(20), rowOf(0)]), "all.csv": csv([...rows(25), rowOf(0), rowOf(0)]) },
    [
      [">ledger add there.csv", 0, "21 of 21 creates added"],
      [">ledger add there.csv", 0, "0 of 21 creates added"],
      [">push all.csv", 0],
      holdsCount(6),
    ],
  );
  nights("is the same for all names of this machine, and different for another table or --run-key", [
    write("orders.csv", csv(rows(31))),
    pushToLocalhost,
    holdsCount(31),
    [">push orders.csv --run-key 'other shop'", 0],
    holdsCount(62),
  ]);
  nights(
    "asks about records of another database version, and knows them once it is said what the files are",
    [
      ...night(csv(rows(31)), "--db-version 8", 3),
      [">push orders.csv --db-version 8 --exports full", 0],
      holdsCount(31),
    ],
  );
});

describe("doubt", () => {
  let run = "";
  const noteRun: Step = async ({ runs }) => ([run = ""] = await runs());
  scenario("outlives a run that is given up, and is settled by that run's name", {}, [
    faults("drop=before,kind=create,skip=1,times=1"),
    ...night(csv(rows(30)), PACE, 8),
    faults(),
    noteRun,
    abandon,
    ...night(csv(rows(31)), "", 8),
    holdsCount(22),
    async ({ last, command }) => {
      const absent = await decisionOn(command, "absent", run);
      expect(last.stdout).toContain(`rec-push ${absent.join(" ")}`);
      await command(["runs", "prune"]);
      expect(await command(absent)).toMatchObject({ code: 0 });
    },
    [">push orders.csv", 0],
    holdsCount(31),
    once,
  ]);
  scenario(
    "leaves to a later push what an open run has not sent, and the run does not send it again",
    { "grown.csv": csv(rows(33)) },
    [
      faults("status=401,skip=3"),
      ...night(csv(rows(30)), PACE, 5),
      ({ numbers }) => expect(numbers().length).toBeLessThan(30),
      faults(),
      [">push grown.csv", 0],
      holdsCount(33),
      ["resume", 0, "skipped"],
      holdsCount(33),
      ["resume", 2, "no run is open"],
    ],
  );
});

const numbered = (count: number): string =>
  `num_commande;date_billed\n${Array.from({ length: count }, (_, at) => `${551_001 + at};13/07/2016\n`).join("")}`;
const SAID = "--exports full";
const THIRTY = { "a.csv": numbered(30), "deleted.csv": numbered(2) };
/** A run whose process was killed after the run ended and before it was closed: only its journal knows its creates. */
const UNCLOSED: readonly Step[] = [[`push a.csv ${SAID}`, 0], ({ state }) => unclose(state)];

scenario("ledger remove is not blocked by a run that has nothing left to do", THIRTY, [
  ...UNCLOSED,
  [`ledger remove deleted.csv ${SAID}`, 0, "2 of 2 creates taken out"],
  [`push a.csv ${SAID}`, 0],
  ({ numbers }) => expect(numbers()).toHaveLength(32),
]);
