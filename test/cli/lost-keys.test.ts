import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { openSandbox } from "../support/push-to-sandbox.ts";
import {
  decide,
  faults,
  holdsCount,
  holdsOnce,
  killAtHang,
  scenario,
  type Step,
  write,
} from "../support/scenario.ts";

const numbers = Array.from({ length: 60 }, (_, at) => 551_001 + at);
const KEYED = `cle;num_commande\n${numbers.map((n) => `${n % 2 === 0 ? `C${n}` : ""};${n}\n`).join("")}`;
const KEYLESS = `num_commande\n${numbers.map((n) => `${n}\n`).join("")}`;

scenario("an export that has lost its column of keys stops", { "a.csv": KEYED, "b.csv": KEYLESS }, [
  ["push a.csv", 0],
  [
    "push b.csv",
    3,
    /no column goes to the key cle, and \S*a\.csv, pushed on .* had keys: the 30 records.*--only creates/s,
  ],
  holdsCount(60),
  ["push b.csv --only creates", 0],
  holdsCount(90),
]);

const unlike = (count: number): string =>
  `num_commande\n${numbers
    .map((n) => `${n + 100}\n`)
    .slice(0, count)
    .join("")}`;
scenario(
  "an export without keys stops once its rows may be half of the records that had keys",
  { "a.csv": KEYED, "b.csv": unlike(15), "c.csv": unlike(14) },
  [
    ["push a.csv", 0],
    ["push b.csv --exports full", 3, /no column goes to the key cle.*the 30 records/s],
    ["push c.csv --exports full", 0],
    holdsCount(74),
  ],
);

scenario("an export whose column of keys has lost its values stops", { "a.csv": KEYED }, [
  ["push a.csv --exports full --identify-by num_commande", 0],
  write("a.csv", KEYED.replaceAll(/^C\d+/gm, "")),
  [
    "push a.csv --exports full --identify-by num_commande",
    3,
    /no row has a key cle.*the 30 records .*--only creates/s,
  ],
  holdsCount(60),
]);

const few = (count: number): string =>
  numbers
    .slice(0, count)
    .map((n) => `;${n}\n`)
    .join("");
scenario(
  "an export in which few rows had keys does not stop once none has",
  { "a.csv": `cle;num_commande\nC1;551999\n${few(30)}` },
  [["push a.csv", 0], write("a.csv", `cle;num_commande\n${few(33)}`), ["push a.csv", 0], holdsCount(34)],
);

scenario(
  "an export without keys does not stop because of another one that has keys",
  { "a.csv": KEYLESS, "b.csv": "cle;num_commande\nC1;551998\n;551999\n" },
  [
    ["push a.csv --exports full", 0],
    ["push b.csv --exports full", 0],
    write("a.csv", `${KEYLESS}552000\n`),
    ["push a.csv --exports full", 0],
    holdsCount(63),
  ],
);

scenario(
  "a file of updates stops once its column of keys is gone, but not one of another name",
  { "a.csv": "cle;num_commande\nC1;551001\nC2;551002\n", "new.csv": "num_commande\n551003\n551004\n" },
  [
    ["push a.csv", 0],
    write("a.csv", "num_commande\n551001\n551002\n"),
    ["push a.csv", 3, /no column goes to the key cle.*the 2 records .*--only creates/s],
    holdsCount(2),
    ["push new.csv", 0],
    ["push a.csv --only creates --exports delta", 0],
    holdsCount(6),
  ],
);

const CREATES = Array.from({ length: 6 }, (_, at) => `;${551_000 + at};n`);
const UPDATES = ["A1;1;x", "A2;2;y"];
const csv = (...lines: readonly string[]): string => ["cle;num_commande;note", ...lines, ""].join("\n");
const PUSH = "push orders.csv --exports full";
const SLOWLY = `${PUSH} --concurrency 1 --retries 0 --batch-size 2`;
const ALL = [...CREATES, ...UPDATES];
const FILES = { "orders.csv": csv(...ALL) };
/** A run that was stopped by the service after its first create, of a file that is pushed every night. */
const STOPPED: readonly Step[] = [faults("status=401,skip=1"), [SLOWLY, 5], faults()];
const next = (...lines: readonly string[]): Step => write("orders.csv", csv(...lines));
/** The first run is open, or closed. */
const first = (state: "unfinished" | "taken over by "): Step => ["runs RUN", 0, state];

describe("a run whose file was overwritten", () => {
  scenario("is taken over by a push that holds all that it had not sent", FILES, [
    ...STOPPED,
    // Other values of its updates overtake them.
    next(";551099;new", ...CREATES, "A1;1;z", "A2;7;z"),
    [`${PUSH} --json`, 0, '"openRuns":[]', /the run \S+ is taken over/],
    first("taken over by "),
    ["runs", 0, { not: / unfinished | unsettled / }],
    ["resume RUN", 2, "was taken over by the run"],
    holdsOnce(9),
  ]);
  for (const [name, later, earlier = ALL] of [
    ["lacks a create", ALL.filter((line) => !line.includes("551004"))],
    ["lacks an update", ALL.filter((line) => !line.startsWith("A2"))],
    ["gives less of an update", ALL.map((line) => line.replace("A2;2;y", "A2;2;"))],
    ["has another value of a create", ALL.map((line) => line.replace("551004;n", "551004;m"))],
    [
      "has a row less often than it was left",
      [...CREATES, ";551007;n"],
      [...CREATES, ";551007;n", ";551007;n"],
    ],
    [
      "has as its only equal create perhaps the one that was sent",
      [";551007;n", ...CREATES],
      [";551007;n", ";551007;n", ...CREATES],
    ],
  ] as readonly (readonly [string, string[], string[]?])[])
    scenario(`stays open where the later file ${name}`, { "orders.csv": csv(...earlier) }, [
      ...STOPPED,
      next(";551099;new", ...later),
      [PUSH, 0],
      first("unfinished"),
    ]);
  scenario("stays open while the later push has not sent all, and is taken over once it has", FILES, [
    ...STOPPED,
    next(";551099;new", ...ALL),
    faults("status=401,skip=2"),
    [SLOWLY, 5],
    first("unfinished"),
    faults(),
    [SLOWLY, 0],
    first("taken over by "),
  ]);
  const other = PUSH.replace("orders", "other");
  scenario(
    "stays open while its file is still there",
    { ...FILES, "other.csv": csv(";551099;new", ...ALL) },
    [
      ...STOPPED,
      [other, 0],
      first("unfinished"),
      // Once the file is gone, the next push takes the run over.
      ({ directory }) => rm(join(directory, "orders.csv")),
      write("other.csv", csv(";551098;new", ...ALL)),
      [other, 0],
      first("taken over by "),
    ],
  );
  scenario("keeps its doubt, which is settled by its name", FILES, [
    faults("drop=before,kind=create,times=1", "status=401"),
    [SLOWLY, 8],
    faults(),
    next(";551099;new", ...ALL),
    [PUSH, 8, /rec-push resume \S+ --in-doubt [0-9a-f]{8}=applied/],
    first("taken over by "),
    decide("absent", 0),
    next(";551098;new", ...ALL),
    [PUSH, 0],
    ({ held }) => expect(held()).toHaveLength(2 + 6 + 2),
  ]);
  scenario("stays open after a kill, because it could not note what it had left", FILES, [
    faults("hang,after-applying,kind=create"),
    killAtHang(SLOWLY),
    next(";551099;new", ...ALL),
    [PUSH, 8],
    first("unfinished"),
  ]);
});

describe("a run whose database version the service refused", () => {
  const push = "push v.csv --retries 0";
  let service: Sandbox;
  const open: Step = async ({ env }) => {
    service = await openSandbox({ dbVersions: ["2"] });
    Object.assign(env, { REC_PUSH_URL: service.url, REC_PUSH_TOKEN: service.token });
  };
  const files = { "v.csv": csv("A1;1;x", ";2;y") };
  scenario("is taken over by the push of its file with the right one, as its steps say", files, [
    open,
    [push, 6, "give the right database version", { not: "continues where this one ended" }],
    [`${push} --db-version 1`, 6],
    [`${push} --db-version 2`, 0, { not: "Still open" }, /is taken over: [^]*is taken over: /],
    ["runs", 0, { not: / unfinished | unsettled / }],
  ]);
  scenario("stays open where the file with the right one lacks a row, or it was not refused", files, [
    open,
    [push, 6],
    () => service.setFaults(["status=500"]),
    [`${push} --db-version 1`, 8],
    () => service.setFaults([]),
    write("v.csv", csv("A1;1;x")),
    [`${push} --db-version 2`, 0],
    ["runs", 0, /(?: unfinished | unsettled )[^]*(?: unfinished | unsettled )/],
  ]);
});
