import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { scenario, type Step, write } from "../support/scenario.ts";

const numbers = Array.from({ length: 60 }, (_, at) => 551_001 + at);
const KEYED = `cle;num_commande\n${numbers.map((n) => `${n % 2 === 0 ? `C${n}` : ""};${n}\n`).join("")}`;
const KEYLESS = `num_commande\n${numbers.map((n) => `${n}\n`).join("")}`;
const holds =
  (count: number): Step =>
  ({ sandbox }) =>
    expect(sandbox.store.snapshot("commandes")).toHaveLength(count);

for (const words of ["", "--exports full --identify-by num_commande"])
  scenario(
    `an export that has lost its column of keys stops ${words}`,
    { "a.csv": KEYED, "b.csv": KEYLESS },
    [
      [`push a.csv ${words}`, 0],
      [
        `push b.csv ${words}`,
        3,
        /no column goes to the key cle, and \S*a\.csv, pushed on .* had keys: the 30 records.*--only creates/s,
      ],
      holds(60),
      [`push b.csv ${words} --only creates`, 0],
      holds(90),
    ],
  );

const beside = (fresh: number): string =>
  [
    "num_commande",
    ...numbers.filter((n) => n % 2 === 1),
    ...numbers.slice(0, fresh).map((n) => n + 100),
  ].join("\n");
scenario(
  "an export without keys stops once its new rows may be half of the records that had keys",
  { "a.csv": KEYED, "b.csv": `${beside(15)}\n`, "c.csv": `${beside(14)}\n` },
  [
    ["push a.csv", 0],
    ["push b.csv", 3, /no column goes to the key cle.*the 30 records/s],
    ["push c.csv", 0],
    holds(74),
  ],
);

it("standard input without keys is no other file than before", async () => {
  const { push } = await openWorld();
  expect((await push(["-"], { stdin: "cle;num_commande\nC1;551001\n" })).code).toBe(0);
  expect((await push(["-"], { stdin: "num_commande\n551002\n" })).code).toBe(0);
});

scenario("an export that never had keys does not stop", { "a.csv": KEYLESS, "b.csv": `${KEYLESS}551999\n` }, [
  ["push a.csv", 0],
  ["push b.csv", 0],
  holds(61),
]);

scenario(
  "an export whose column of keys has lost its values stops",
  { "a.csv": KEYED, "b.csv": KEYED.replaceAll(/^C\d+/gm, "") },
  [
    ["push a.csv --exports full --identify-by num_commande", 0],
    [
      "push b.csv --exports full --identify-by num_commande",
      3,
      /no row has a key cle.*the 30 records .*--only creates/s,
    ],
    holds(60),
  ],
);

const few = (count: number): string =>
  numbers
    .slice(0, count)
    .map((n) => `;${n}\n`)
    .join("");
scenario(
  "an export in which few rows had keys does not stop once none has",
  { "a.csv": `cle;num_commande\nC1;551999\n${few(30)}` },
  [["push a.csv", 0], write("a.csv", `cle;num_commande\n${few(33)}`), ["push a.csv", 0], holds(34)],
);

scenario(
  "an export without keys does not stop because of another one that has keys",
  { "a.csv": KEYLESS, "b.csv": "cle;num_commande\nC1;551998\n;551999\n" },
  [
    ["push a.csv --exports full --identify-by record", 0],
    ["push b.csv --exports full --identify-by record", 0],
    write("a.csv", `${KEYLESS}552000\n`),
    ["push a.csv --exports full --identify-by record", 0],
    holds(63),
  ],
);

scenario(
  "a file of updates stops once its column of keys is gone, but not one of another name",
  { "a.csv": "cle;num_commande\nC1;551001\nC2;551002\n", "new.csv": "num_commande\n551003\n551004\n" },
  [
    ["push a.csv", 0],
    write("a.csv", "num_commande\n551001\n551002\n"),
    ["push a.csv", 3, /no column goes to the key cle.*the 2 records .*--only creates/s],
    holds(2),
    ["push new.csv", 0],
    ["push a.csv --only creates --exports delta", 0],
    holds(6),
  ],
);
