import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { openWorld } from "../support/open-world.ts";
import { startProcess } from "../support/run-process.ts";
import { scenario, write } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

const ROWS = ["551001;13/07/2016;10,50", "551002;14/07/2016;20,50", "551003;15/07/2016;30,50"] as const;
const CORRECTED = "551001;13/07/2016;11,50";
const csv = (...rows: readonly string[]): string =>
  ["num_commande;date_billed;actual_billable_amount", ...rows, ""].join("\n");

scenario(
  "ledger remove says how many of a file's records the ledger holds",
  { "a.csv": csv(...ROWS), "none.csv": csv(CORRECTED), "one.csv": csv(CORRECTED, ROWS[1]) },
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

const IDENTITY = "--exports full --identify-by num_commande";
scenario(
  "ledger remove takes out a corrected record that got its identity after it was created",
  { "a.csv": csv(...ROWS), "deleted.csv": csv(CORRECTED) },
  [
    ["push a.csv", 0],
    [`ledger add a.csv ${IDENTITY}`, 0],
    write("a.csv", csv(CORRECTED, ...ROWS.slice(1))),
    [`push a.csv ${IDENTITY}`, 4, "1 create was created before with other values"],
    [`ledger remove deleted.csv ${IDENTITY}`, 0, "1 of 1 create taken out of the ledger"],
    // No entry without identity is left, which would cause a question.
    write("a.csv", csv(CORRECTED, ...ROWS.slice(1), "551004;16/07/2016;40,50")),
    [`push a.csv ${IDENTITY}`, 0],
    [`push a.csv ${IDENTITY}`, 0],
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
const KILLS = fileURLToPath(new URL("../chaos/nights/kill-at-write.mjs", import.meta.url));

it("ledger remove takes out what was asked for and nothing else, wherever it is killed and run again", async () => {
  const { sandbox, home, command, numbers } = await openWorld();
  const all = listed([TWIN, ...others(3), TWIN, ...others(6).slice(3)]);
  for (const content of [listed([TWIN, ...others(3)]), all]) {
    expect((await command([await makeFile("orders.csv", content), ...SAID])).code).toBe(0);
  }
  expect(numbers()).toHaveLength(8);
  const [state, kept] = [join(home, "rec-push"), join(home, "kept")];
  await cp(state, kept, { recursive: true });
  // The two equal records, which were pushed in separate files, and all others but one.
  const deleted = await makeFile("deleted.csv", listed([TWIN, TWIN, ...others(5)]));
  let kills = 0;
  for (let isKilled = true; isKilled; kills += atNight ? 1 : 7) {
    await rm(state, { recursive: true });
    await cp(kept, state, { recursive: true });
    const env = {
      XDG_STATE_HOME: home,
      REC_PUSH_URL: sandbox.url,
      NODE_OPTIONS: `--import=${KILLS}`,
      NIGHTS_KILL_AT: String(kills + 1),
    };
    const { signal, stderr } = await startProcess(["ledger", "remove", deleted, ...SAID], env).ended;
    isKilled = signal === "SIGKILL";
    const again = await command(["ledger", "remove", deleted, ...SAID]);
    expect([stderr, again.stderr]).toContainEqual(expect.stringMatching(/(7 of 7|0 of 7) creates taken out/));
    const before = numbers().length;
    expect((await command([await makeFile("orders.csv", all), ...SAID])).code).toBe(0);
    expect(numbers().length - before, `killed at ${kills + 1}`).toBe(7);
  }
  expect(kills).toBeGreaterThan(10);
}, 180_000);

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
