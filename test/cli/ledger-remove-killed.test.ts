import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";
import { atNight } from "../support/draws.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const TWIN = "551000;13/07/2016;10,50";
const others = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${551_001 + at};14/07/2016;${20 + at},50`);
const csv = (lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");
const SAID = ["-t", "commandes", "--exports", "full", "--identify-by", "record"];
const KILLS = fileURLToPath(new URL("../chaos/nights/kill-at-write.mjs", import.meta.url));

it("ledger remove takes out what was asked for and nothing else, wherever it is killed and run again", async () => {
  const { sandbox, home, command, numbers } = await openWorld();
  const all = csv([TWIN, ...others(3), TWIN, ...others(6).slice(3)]);
  for (const content of [csv([TWIN, ...others(3)]), all]) {
    expect((await command([await makeFile("orders.csv", content), ...SAID])).code).toBe(0);
  }
  expect(numbers()).toHaveLength(8);
  const [state, kept] = [join(home, "rec-push"), join(home, "kept")];
  await cp(state, kept, { recursive: true });
  // The two equal records, which were pushed in separate files, and all others but one.
  const deleted = await makeFile("deleted.csv", csv([TWIN, TWIN, ...others(5)]));
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
  const orders = await makeFile("orders.csv", csv([TWIN, ...others(2), TWIN]));
  expect((await command([orders, ...SAID])).code).toBe(0);
  const remove = async (...lines: readonly string[]) =>
    command(["ledger", "remove", await makeFile("deleted.csv", csv(lines)), ...SAID]);
  const asked = await remove(...others(2), TWIN);
  expect(asked).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(
      /a row was created more often than the file holds it \(line 4\); nothing was/,
    ),
  });
  // One of the two is gone.
  expect((await remove(TWIN, TWIN)).stderr).toContain("2 of 2 creates taken out");
  const there = await makeFile("there.csv", csv([TWIN]));
  expect((await command(["ledger", "add", there, ...SAID])).code).toBe(0);
  expect((await command([orders, ...SAID])).code).toBe(0);
  expect(numbers()).toHaveLength(5);
});
