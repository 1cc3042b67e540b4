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

it("ledger remove takes out exactly as many as asked for, wherever it is killed and run again", async () => {
  const { sandbox, home, command, numbers } = await openWorld();
  const all = csv([TWIN, ...others(3), TWIN, ...others(6).slice(3)]);
  for (const content of [csv([TWIN, ...others(3)]), all]) {
    expect((await command([await makeFile("orders.csv", content), ...SAID])).code).toBe(0);
  }
  expect(numbers()).toHaveLength(8);
  const [state, kept] = [join(home, "rec-push"), join(home, "kept")];
  await cp(state, kept, { recursive: true });
  // One of the two equal records, which were pushed in separate files, and all others.
  const deleted = await makeFile("deleted.csv", csv([TWIN, ...others(6)]));
  let kills = 0;
  for (let isKilled = true; isKilled; kills += atNight ? 1 : 4) {
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
    // A user who has read the result does not run the command again.
    const isTold = stderr.includes("7 of 7 creates taken out of the ledger");
    const again = isTold ? undefined : await command(["ledger", "remove", deleted, ...SAID]);
    expect(again?.stderr ?? stderr).toContain("7 of 7 creates taken out");
    const before = numbers().length;
    expect((await command([await makeFile("orders.csv", all), ...SAID])).code).toBe(0);
    expect(numbers().length - before, `killed at ${kills + 1}`).toBe(7);
  }
  expect(kills).toBeGreaterThan(10);
}, 180_000);
