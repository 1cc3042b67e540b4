import { expect } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { abandon, faults, holdsOnce, paste, scenario, type Step, write } from "../support/scenario.ts";

const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `;${551_001 + at};1${at},50`);
const csv = (...lines: readonly string[]): string =>
  ["cle;num_commande;actual_billable_amount", ...lines, ""].join("\n");

for (const [table, hasNew] of [
  ["commandes", false],
  ["mes commandes", true],
] as const) {
  const push = `>push a.csv -t '${table}'`;
  scenario(
    `a file added to the ledger of ${table} sends its updates with the same command again`,
    { "a.csv": csv(...rows(6)), "new.csv": csv(";551007;7,50") },
    [
      [push, 0],
      write("a.csv", csv(...rows(5), ";551006;99,50", ";551007;7,50", "K1;1;1,50", "K2;2;2,50")),
      [
        push,
        3,
        "rows that match none: lines 7, 8\n",
        /creates none of its rows.*; then the same command again$/m,
      ],
      ...(hasNew
        ? ([
            [`>push new.csv -t '${table}'`, 0],
            [push, 3],
          ] as const)
        : []),
      paste(/rec-push (ledger add a\.csv .*?) {3}creates none/, 0),
      [push, 0],
      ({ sandbox }) => {
        const keys = sandbox.store.snapshot(table).map(({ cle }) => cle);
        expect(keys).toHaveLength(hasNew ? 9 : 8);
        expect(keys).toEqual(expect.arrayContaining(["K1", "K2"]));
      },
    ],
  );
}

/** The answer to the second request of a run is lost; the record in doubt is the one of the third line. */
const lose = (...more: readonly string[]): readonly Step[] => [
  faults("drop=before,skip=1,times=1", ...more),
  [">push orders.csv --batch-size 2 --concurrency 1 --retries 0", 8],
  faults(),
];
const FILES = { "orders.csv": csv(...rows(6)), "alone.csv": csv(rows(2)[1]!) };

for (const [isGivenUp, answer, held] of [
  [false, "absent", 6],
  [false, "applied", 5],
  [true, "absent", 6],
  [true, "applied", 5],
] as const)
  scenario(
    `a file with a record in doubt alone ends with 8 and the command that settles it (${answer}, given up: ${isGivenUp})`,
    FILES,
    [
      ...lose(),
      ...(isGivenUp ? [abandon] : []),
      [
        ">push alone.csv",
        8,
        "1 of 1 create is in doubt since an earlier push",
        { not: /ledger add|--again/ },
        isGivenUp ? { not: "is still open;" } : "is still open;",
      ],
      paste(new RegExp(`rec-push (resume \\S+ --in-doubt \\w{8}=${answer})`), 0),
      [">push alone.csv", answer === "absent" ? 0 : 3],
      holdsOnce(held),
    ],
  );

scenario(
  "the question names an open run of the matching records first, with what settles it",
  { "orders.csv": FILES["orders.csv"] },
  [
    faults("status=401,skip=1"),
    [">push orders.csv --batch-size 2 --concurrency 1", 5],
    faults(),
    write("orders.csv", csv(rows(1)[0]!, ";551011;7,50", ";551012;8,50")),
    [
      ">push orders.csv",
      3,
      /run \S+ of orders\.csv is still open; settle it first[^]*ledger add/,
      /^ +or give it up: rec-push runs abandon \S+$/m,
    ],
    write("orders.csv", FILES["orders.csv"]),
    paste(/^ +rec-push (resume \S+)$/m, 0),
    holdsOnce(6),
  ],
);

scenario(
  "a push that shares records in doubt with an open run that has more to send names both",
  { "orders.csv": FILES["orders.csv"] },
  [
    ...lose("status=401,skip=1"),
    write("orders.csv", csv(...rows(3), ";551011;7,50", ";551012;8,50", ";551013;8,50", ";551014;8,50")),
    [
      ">push orders.csv",
      8,
      /the run \S+ of orders\.csv is still open;/,
      /rec-push runs abandon \S+/,
      /rec-push resume \S+ --in-doubt [0-9a-f]{8}=absent/,
    ],
  ],
);

/** A file of which one earlier row is missing and one is new, pushed with an identity that the earlier push did not keep. */
const IDENTITY = "--exports full --identify-by num_commande --identify-by actual_billable_amount";
const UNIDENTIFIED: readonly Step[] = [
  write("before.csv", csv(...rows(36))),
  [">push before.csv", 0],
  write("a.csv", csv(...rows(36).slice(1), ";551099;9,50")),
  [
    `>push a.csv ${IDENTITY}`,
    3,
    "1 earlier record is without this identity",
    /^ +--exports full --identify-by num_commande {3}each file holds the earlier rows again/m,
  ],
];

scenario("an identity that earlier pushes did not keep: a field that they did is named, and leads on", {}, [
  ...UNIDENTIFIED,
  [">push a.csv --exports full --identify-by num_commande", 0],
  holdsOnce(37),
]);

scenario(
  "an identity that a push did not keep comes into the ledger with its file, as the question says",
  {},
  [
    ...UNIDENTIFIED,
    async ({ last, command, directory }) => {
      for (const action of ["remove", "add"]) {
        const [line = ""] =
          new RegExp(`ledger ${action} EARLIER_FILE.*?(?= {3}|$)`, "m").exec(last.stderr) ?? [];
        const words = splitWords(line.replace("EARLIER_FILE", `${directory}/before.csv`));
        expect(await command(words)).toMatchObject({ code: 0 });
      }
    },
    [`>push a.csv ${IDENTITY}`, 0],
    holdsOnce(37),
  ],
);
