import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { decide, faults, holdsOnce, killAtHang, scenario, type Step, write } from "../support/scenario.ts";

const CREATES = Array.from({ length: 6 }, (_, at) => `;${551_000 + at};n`);
const UPDATES = ["A1;1;x", "A2;2;y"];
const csv = (...lines: readonly string[]): string => ["cle;num_commande;note", ...lines, ""].join("\n");
const PUSH = "push orders.csv --exports full --identify-by record";
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
    [
      `${push} --db-version 2`,
      0,
      { not: "Still open" },
      /is taken over: the service refused it[^]*is taken over: the service refused it/,
    ],
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
