import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "../support/open-world.ts";
import { abandon, faults, holdsOnce, paste, scenario, type Step, write } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `;${551_001 + at};1${at},50`);
const csv = (...lines: readonly string[]): string =>
  ["cle;num_commande;actual_billable_amount", ...lines, ""].join("\n");

const push = ">push a.csv -t 'mes commandes'";
scenario(
  "a file added to the ledger sends its updates with the same command again",
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
    [push.replace("a.csv", "new.csv"), 0],
    [push, 3],
    paste(/rec-push (ledger add a\.csv .*?) {3}creates none/, 0),
    [push, 0],
    ({ sandbox }) => {
      const keys = sandbox.store.snapshot("mes commandes").map(({ cle }) => cle);
      expect(keys).toHaveLength(9);
      expect(keys).toEqual(expect.arrayContaining(["K1", "K2"]));
    },
  ],
);

/** The answer to the second request of a run is lost; the record in doubt is the one of the third line. */
const lose = (...more: readonly string[]): readonly Step[] => [
  faults("drop=before,skip=1,times=1", ...more),
  [">push orders.csv --batch-size 2 --concurrency 1 --retries 0", 8],
  faults(),
];
const FILES = { "orders.csv": csv(...rows(6)), "alone.csv": csv(rows(2)[1]!) };

for (const [isGivenUp, answer, held] of [
  [false, "absent", 6],
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

const ROWS = ["551001;13/07/2016;10,50", "551002;14/07/2016;20,50", "551003;15/07/2016;30,50"] as const;
const CORRECTED = "551001;13/07/2016;11,50";
const dated = (...rows: readonly string[]): string =>
  ["num_commande;date_billed;actual_billable_amount", ...rows, ""].join("\n");

scenario(
  "ledger remove says how many of a file's records the ledger holds",
  { "a.csv": dated(...ROWS), "none.csv": dated(CORRECTED), "one.csv": dated(CORRECTED, ROWS[1]) },
  [
    ["push a.csv", 0],
    ["ledger remove none.csv", 0, "0 of 1 create taken out of the ledger; it does not hold the 1 with"],
    [
      "ledger remove one.csv",
      0,
      "1 of 2 creates taken out of the ledger: a later push creates them again; it does not hold the other 1 with",
    ],
  ],
);

const BY_NUMBER = "--exports full --identify-by num_commande";
scenario(
  "ledger remove takes out a corrected record that got its identity after it was created",
  { "a.csv": dated(...ROWS), "deleted.csv": dated(CORRECTED) },
  [
    ["push a.csv", 0],
    [`ledger add a.csv ${BY_NUMBER}`, 0],
    write("a.csv", dated(CORRECTED, ...ROWS.slice(1))),
    [`push a.csv ${BY_NUMBER}`, 4, "1 create was created before with other values"],
    [`ledger remove deleted.csv ${BY_NUMBER}`, 0, "1 of 1 create taken out of the ledger"],
    // No entry without identity is left, which would cause a question.
    write("a.csv", dated(CORRECTED, ...ROWS.slice(1), "551004;16/07/2016;40,50")),
    [`push a.csv ${BY_NUMBER}`, 0],
    [`push a.csv ${BY_NUMBER}`, 0],
    ({ numbers }) => expect(numbers()).toHaveLength(5),
  ],
);

const ONE_INVALID = "num_commande,date_billed\n1,2020-01-01\n2,2020-13-45\n3,2020-01-03\n";

describe.each(["add", "remove"])("ledger %s of a file with invalid rows", (action) => {
  it("stops, and with the option that it names leaves them out, names and counts them", async () => {
    const { command, push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", ONE_INVALID);
    const line = ["ledger", action, file, "-t", "commandes", "--identify-by", "num_commande"];
    const stopped = await command(line);
    expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining("1 of 3 rows is invalid") });
    const [, advised = ""] = /leave them out with (--on-invalid \w+)/.exec(stopped.stderr) ?? [];
    const { code, stderr } = await command([...line, ...advised.split(" "), "--quiet"]);
    expect(code).toBe(4);
    expect(stderr).toContain(`${file}:3: column 2 "date_billed" holds "2020-13-45"`);
    expect(stderr).toContain(`${file}: 1 invalid row is left out`);
    expect(stderr).toContain("of 2 creates");
    // The row that was left out is new to the ledger once it is mended.
    const mended = await makeFile("mended.csv", ONE_INVALID.replace("13-45", "12-31"));
    await push([mended, "--exports", "full", "--identify-by", "num_commande"]);
    expect(numbers()).toEqual(action === "add" ? ["2"] : ["1", "2", "3"]);
  });
});

const HEADER = "num_commande;date_billed;actual_billable_amount";
const TWIN = "551000;13/07/2016;10,50";
const others = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${551_001 + at};14/07/2016;${20 + at},50`);
const listed = (lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");
const SAID = ["-t", "commandes", "--exports", "full"];
it("ledger remove asks where a record was created more often than the file holds it", async () => {
  const { command, numbers } = await openWorld();
  const orders = await makeFile("orders.csv", listed([TWIN, ...others(2), TWIN]));
  expect((await command([orders, ...SAID])).code).toBe(0);
  const remove = async (...lines: readonly string[]) =>
    command(["ledger", "remove", await makeFile("deleted.csv", listed(lines)), ...SAID]);
  const asked = await remove(...others(2), TWIN);
  expect(asked).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(
      /a row was created more often than the file holds it \(line 4\); nothing was/,
    ),
  });
  // One of the two is gone.
  expect((await remove(TWIN, TWIN)).stderr).toContain("2 of 2 creates taken out");
  const there = await makeFile("there.csv", listed([TWIN]));
  expect((await command(["ledger", "add", there, ...SAID])).code).toBe(0);
  expect((await command([orders, ...SAID])).code).toBe(0);
  expect(numbers()).toHaveLength(5);
});
