import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  abandon,
  answered,
  decide,
  deleteRows,
  edit,
  faults,
  holds,
  holdsNumbers,
  killAtHang,
  paste,
  proven,
  scenario,
  type Step,
  write,
  wrote,
} from "../support/scenario.ts";

const NUMBERS = Array.from({ length: 8 }, (_, at) => String(551_000 + at));
const CSV = ["num_commande;note", ...NUMBERS.map((number) => `${number};"n ""${number}"""`), ""].join("\n");
const FILES = { "orders.csv": CSV };
const PUSH = "push orders.csv --concurrency 1 --batch-size 8 --retries 0";
const DOUBTFUL = "orders.in-doubt.csv";
const DECIDE = `resume --in-doubt ${DOUBTFUL}`;

/** Eight creates in doubt, none of which the service holds; the push prints the command for their file. */
const lost = (push = PUSH): readonly Step[] => [
  proven("num_commande;note\n990000;a word\n"),
  faults("drop=before,kind=create,times=1"),
  [push, 8, /Next: if only some are there: .*?: rec-push resume \S+ --in-doubt \S+in-doubt/],
];
const deleteFirst = (count: number, name = DOUBTFUL): Step => deleteRows(name, count);
/** Rewrites the file of rows in doubt. */
const rewrite =
  (change: (text: string) => string | Buffer): Step =>
  async ({ directory, file }) =>
    file(DOUBTFUL, change(await readFile(join(directory, DOUBTFUL), "utf8")));

/** The command that names run and file is refused. */
const isRefused =
  (reason: RegExp): Step =>
  async ({ command, run, directory }) =>
    expect(await command(["resume", run, "--in-doubt", join(directory, DOUBTFUL)])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(reason),
    });

describe("the file of rows in doubt", () => {
  scenario("and resend decide nothing of a run that was given up, which sends nothing any more", FILES, [
    ...lost(),
    abandon,
    deleteFirst(3),
    [
      DECIDE,
      8,
      "this line decides nothing",
      "=absent, then rec-push ledger add FILE --table NAME, where FILE holds those, each as often",
    ],
    decide("resend", 8, "this line decides nothing"),
    holdsNumbers(),
    decide("absent", 0, /8 creates of the run \S+ count as absent/),
  ]);
  scenario("decides on a terminal once the numbers that it comes to are confirmed", FILES, [
    ...lost(),
    deleteFirst(3),
    answered(["n"], DECIDE, 0, [/^3 count as there, 5 are sent\. Go on\?/], "nothing is decided"),
    holdsNumbers(),
    answered(["y"], DECIDE, 0),
    holdsNumbers(...NUMBERS.slice(3)),
  ]);
  scenario(
    "stays where it is while its doubt is open, also if another run has the same rows in doubt",
    FILES,
    [
      ...lost(),
      abandon,
      faults("drop=before,kind=create,times=1"),
      [`${PUSH} --again`, 8, "orders.in-doubt-2.csv"],
      wrote("orders.in-doubt-2.csv", DOUBTFUL),
    ],
  );
  scenario(
    "decides also if a spreadsheet has saved it in UTF-16 with a byte order mark",
    { "orders.csv": Buffer.from(CSV.replaceAll("n ", "n\u00e9 "), "latin1") },
    [
      ...lost(`${PUSH} --encoding windows-1252`),
      holds(DOUBTFUL, "n\u00e9 ", "latin1"),
      async ({ directory, file }) => {
        const lines = (await readFile(join(directory, DOUBTFUL), "latin1")).split("\n");
        await file(DOUBTFUL, Buffer.from(`\u{feff}${lines.toSpliced(1, 3).join("\n")}`, "utf16le"));
      },
      [DECIDE, 0, "8 accepted"],
      holdsNumbers(...NUMBERS.slice(3)),
    ],
  );
  scenario("has the rows unchanged, after their line, their batch and the reason", FILES, [
    ...lost(),
    holds(
      DOUBTFUL,
      /^_in_doubt_line;_in_doubt_batch;_in_doubt_reason;num_commande;note\n"line 2 of doubt [0-9a-f]{8} in run \S+";1;"sent, perhaps applied: .+";551000;"n ""551000"""\n(?:.*\n){7}$/,
    ),
  ]);
  for (const [name, content, words] of [
    ["orders.csv", CSV, ""],
    ["orders.json", JSON.stringify(NUMBERS.map((number) => ({ num_commande: number, note: "x" }))), ""],
    [
      "bare.csv",
      CSV.slice(CSV.indexOf("\n") + 1),
      "--no-header --map 1=num_commande --map 2=note --exports full",
    ],
  ] as const) {
    const doubtful = name.replace(/\.csv|\.json/, (end) => `.in-doubt.${end === ".csv" ? "csv" : "ndjson"}`);
    scenario(
      `of ${name} sends the rows that are left in it and counts the others as applied`,
      { [name]: content },
      [
        ...lost(`${PUSH.replace("orders.csv", name)} ${words}`),
        deleteRows(doubtful, NUMBERS[1]!),
        deleteRows(doubtful, NUMBERS[6]!),
        [`resume --in-doubt ${doubtful}`, 0, "8 rows read: 8 accepted"],
        holdsNumbers(...NUMBERS.filter((_, at) => at !== 1 && at !== 6)),
        wrote(),
        ["runs --all", 0, "8 accepted"],
      ],
    );
  }

  const lines = (change: (lines: string[]) => readonly string[]) => (text: string) =>
    change(text.split("\n")).join("\n");
  const refused: readonly (readonly [string, (text: string) => string, RegExp])[] = [
    ["from which nothing was deleted", (text) => text, /holds all 8 rows.*\n.*\n.*=resend/],
    ["with a row twice", lines((all) => all.toSpliced(1, 0, all[1]!)), /twice/],
    [
      "with a row that is not in doubt",
      lines(([head = "", first = "", , ...rows]) => [head, first.replace("line 2 ", "line 99 "), ...rows]),
      /the row of line 99 is not in doubt/,
    ],
    ["without its header", lines((all) => all.slice(2)), /columns/],
    [
      "with a first cell that was changed",
      lines((all) => all.toSpliced(1, 1).map((line) => line.replace("line 4 ", "ligne 4 "))),
      /:3: its first cell was changed/,
    ],
    [
      "with a row of another doubt",
      lines((all) => all.toSpliced(1, 1).map((line) => line.replace(/(line 4 of doubt) \w+/, "$1 00000000"))),
      /another doubt than those above/,
    ],
    ["that was cut", (text) => text.slice(0, -60), /cut|never closed|never ends/],
    ["whose last line has no end", lines((all) => all.slice(0, 5)), /no line end, as if .* cut/],
    [
      "of another run",
      (text) => text.replaceAll(/in run \S+(?=")/g, "in run 20200101-000000-abcdef"),
      /was written for the run 20200101-000000-abcdef/,
    ],
  ];
  let whole = "";
  scenario("is refused where more or less was done than to delete rows, and nothing is sent", FILES, [
    ...lost(),
    async ({ directory }) => void (whole = await readFile(join(directory, DOUBTFUL), "utf8")),
    ...refused.flatMap(([, change, reason]): Step[] => [
      ({ file }) => file(DOUBTFUL, change(whole)),
      isRefused(reason),
    ]),
    holdsNumbers(),
    ["runs", 0, "8 in doubt"],
    // Nothing was decided, so the file can still decide once only rows are deleted.
    ({ file }) => file(DOUBTFUL, whole),
    deleteFirst(1),
    [DECIDE, 0],
    holdsNumbers(...NUMBERS.slice(1)),
  ]);
  scenario("of another doubt decides nothing, and its lines are shown", FILES, [
    ...lost(),
    rewrite((text) => text.replaceAll(/doubt [0-9a-f]{8}/g, "doubt 00000000")),
    deleteFirst(1),
    [
      DECIDE,
      8,
      "00000000 is not in doubt",
      /if they are there: rec-push resume \S+ --in-doubt \w{8}=applied/,
    ],
    holdsNumbers(),
  ]);
  scenario(
    "may be saved with another delimiter, other cells and other quotes: only its first column is read",
    FILES,
    [
      ...lost(),
      deleteFirst(3),
      rewrite((text) =>
        text
          .replaceAll('"', "")
          .replaceAll(";", "\t")
          .replaceAll(/n 551\d+/g, "x"),
      ),
      [DECIDE, 0],
      holdsNumbers(...NUMBERS.slice(3)),
    ],
  );
  const changed =
    /was changed, 5 of 8 rows are left in it; if the 3 deleted are in the service, and no other: rec-push (.*)/;
  scenario(
    "that somebody began to edit is not shown as whole, and only the line that uses it is printed",
    FILES,
    [
      ...lost(),
      deleteFirst(3),
      ...[PUSH, "resume", "runs"].map((line): Step => [
        line,
        line === "runs" ? 0 : 8,
        changed,
        { not: /=resend|=applied/ },
      ]),
      ["runs --json", 0, { tells: { doubtFile: DOUBTFUL, doubtFileLeft: 5, inDoubt: 8 } }],
      ["resume --json", 8, { tells: { doubtFiles: [{ path: DOUBTFUL, rows: 8, left: 5 }] } }],
      ["resume", 8],
      paste(changed, 0, "3 count as there, 5 are sent"),
      holdsNumbers(...NUMBERS.slice(3)),
    ],
  );
  scenario("that somebody emptied is said to be useless, and written again once it is removed", FILES, [
    ...lost(),
    deleteFirst(8),
    [
      "resume",
      8,
      "if only some are there: remove ",
      /which was changed and cannot be used \(.*: it holds no rows\), then rec-push resume/,
    ],
    ({ directory }) => rm(join(directory, DOUBTFUL)),
    ["resume", 8],
    deleteFirst(1),
    [DECIDE, 0],
    holdsNumbers(...NUMBERS.slice(1)),
  ]);
  const gone = (what: string): readonly Step[] => [
    ...["resend", "file"].map((how): Step => async ({ command, run, directory, last }) => {
      const [, doubt = ""] =
        /doubt ([0-9a-f]{8})/.exec(await readFile(join(directory, DOUBTFUL), "utf8")) ?? [];
      const decision = how === "file" ? join(directory, DOUBTFUL) : `${doubt}=resend`;
      const end = await command(["resume", run, "--in-doubt", decision]);
      expect([last, end.code, end.stderr]).toEqual([last, 2, expect.stringContaining(what)]);
      expect(end.stderr).toMatch(/=applied\n.*=absent, then push a file that holds them/);
    }),
    ["runs", 0, /--in-doubt [0-9a-f]{8}=applied/, { not: /=resend|in-doubt\.csv/ }],
  ];
  scenario("is not offered where the input was overwritten or is gone, and nothing is sent", FILES, [
    ...lost(),
    deleteFirst(1),
    write("orders.csv", `${CSV}551099;"x"\n`),
    ...gone("has changed since the run began"),
    ({ directory }) => rm(join(directory, "orders.csv")),
    ...gone("is gone"),
    holdsNumbers(),
    decide("absent", 0, "8 not sent"),
  ]);
  scenario(
    "that has decided sends nothing twice and loses nothing if its command is killed and typed again",
    FILES,
    [
      ...lost(),
      deleteFirst(1),
      faults("hang,after-applying,kind=create"),
      killAtHang(`${DECIDE} --batch-size 1`),
      holdsNumbers(NUMBERS[1]!),
      // The request that was cut off is in doubt, with a file of its own under another name. It is one record, so there is no
      // step for some of them.
      [`${DECIDE} --batch-size 1`, 8, "was decided before", { not: "if only some are there" }],
      wrote("orders.in-doubt-2.csv"),
      holds("orders.in-doubt-2.csv", /^.*\n.*\n$/),
      ({ numbers }) => expect(numbers()).toHaveLength(7),
      decide("applied", 0),
      ({ numbers }) => expect(new Set(numbers())).toEqual(new Set(NUMBERS.slice(1))),
      wrote(),
    ],
  );
  scenario(
    "is written by resume after a kill, named by runs, and left alone once somebody changed it",
    FILES,
    [
      proven("num_commande;note\n990000;a word\n"),
      faults("hang,after-applying,kind=create"),
      killAtHang("push orders.csv"),
      ["resume", 8],
      holds(DOUBTFUL, "rec-push was stopped before the answer came"),
      ["runs", 0, `--in-doubt ${DOUBTFUL}`],
      deleteFirst(1),
      edit(DOUBTFUL, "551007", "551008"),
      ["resume", 8, `${DOUBTFUL} was changed, `],
      holds(DOUBTFUL, "551008"),
      ({ directory }) => expect(existsSync(join(directory, "orders.in-doubt-2.csv"))).toBe(false),
    ],
  );
});
