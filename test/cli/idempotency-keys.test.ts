import { describe, expect } from "vitest";
import { faults, holdsOnce, killAtHang, scenario } from "../support/scenario.ts";

const ROWS = 40;
const FILES = {
  "orders.csv": ["num_commande", ...Array.from({ length: ROWS }, (_, at) => 551_000 + at), ""].join("\n"),
};
const PUSH = "push orders.csv --concurrency 3 --batch-size 7";

describe("--idempotency-key", () => {
  scenario("sends creates again if their answers are lost, and creates none of them twice", FILES, [
    faults("drop=after,kind=create,times=4", "honour-keys"),
    [`${PUSH} --idempotency-key`, 0, `${ROWS} accepted`],
    holdsOnce(ROWS),
  ]);
  scenario("lets no other process send again what a killed one left in doubt", FILES, [
    faults("hang,after-applying,kind=create,skip=2", "honour-keys"),
    killAtHang(`${PUSH} --idempotency-key`),
    faults("honour-keys"),
    ["resume", 8, /rec-push resume \S+ --in-doubt \S+=applied/],
    ({ numbers }) => expect(new Set(numbers()).size).toBe(numbers().length),
  ]);
  scenario("is off unless it is asked for", FILES, [
    faults("drop=after,kind=create,skip=1,times=1", "honour-keys"),
    [PUSH, 8],
    holdsOnce(ROWS),
  ]);
});
