import { describe, expect } from "vitest";
import { faults, holdsOnce, killAtHang, scenario, type Step, write } from "../support/scenario.ts";

const csv = (...rows: readonly string[]): string => ["cle;num_commande", ...rows, ""].join("\n");
const numbered = (count: number, key = ""): string[] =>
  Array.from({ length: count }, (_, at) => `${key && `${key}${at}`};${551_000 + at}`);

describe("--concurrency", () => {
  scenario(
    "finds the rate of a service that allows 100 requests a second, and sends every row once",
    { "a.csv": csv(...numbered(150, "A")) },
    [
      faults("rate=100"),
      ["push a.csv --batch-size 1", 0],
      holdsOnce(150),
      ({ sandbox }) => {
        // 32 may be in flight when the limit is first met. How few are refused after that, the simulated services of
        // test/send/limit hold: here it depends on the machine.
        const { requests, statuses } = sandbox.requests();
        expect(statuses["200"]).toBe(150);
        expect(requests - 150).toBeLessThanOrEqual(64);
      },
      [
        "push a.csv --concurrency some",
        2,
        '--concurrency "some": expected auto, auto:N for at most N, or a whole number',
      ],
      ["push a.csv --concurrency auto:0", 2, '--concurrency "auto:0": expected auto, auto:N'],
    ],
  );
});

describe("compress in the config", () => {
  const config = (section: object): Step =>
    write("rec-push.config.json", JSON.stringify({ tables: { commandes: section } }));
  const rows = Array.from({ length: 100 }, (_, at) => `A${at};${"7".repeat(90)}`);
  scenario(
    "sends the same records, and leaves batchBytes to count the unpacked bytes",
    {
      "a.csv": csv(...rows),
    },
    [
      config({ compress: "gzip", batchBytes: 2000 }),
      ["push a.csv --type num_commande=text", 0],
      ({ sandbox, held }) => {
        expect(sandbox.requests().requests).toBeGreaterThanOrEqual(6);
        expect(new Set(held().map(({ cle, num_commande: number }) => `${cle};${number}`))).toEqual(
          new Set(rows),
        );
      },
      faults("status=415"),
      ["push a.csv --type num_commande=text", 6, 'leave "compress" out of the config'],
      config({ compress: "zip" }),
      ["push a.csv", 2, 'tables.commandes.compress: "zip": expected gzip'],
    ],
  );
});

describe("--idempotency-key", () => {
  const COUNT = 40;
  const FILES = { "orders.csv": csv(...numbered(COUNT)) };
  const PUSH = "push orders.csv --concurrency 3 --batch-size 7";
  scenario("sends creates again if their answers are lost, and creates none of them twice", FILES, [
    faults("drop=after,kind=create,times=4", "honour-keys"),
    [`${PUSH} --idempotency-key`, 0, `${COUNT} accepted`],
    holdsOnce(COUNT),
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
    holdsOnce(COUNT),
  ]);
});
