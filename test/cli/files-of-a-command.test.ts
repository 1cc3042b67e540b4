import { describe, expect } from "vitest";
import { faults, holdsOnce, paste, scenario, type Step } from "../support/scenario.ts";

/** Two files of one command with the same key. */
const FILES = { "a.csv": "cle,num_commande\nK6,1\nK7,2\n", "b.csv": "cle,num_commande\nK6,11\nK8,12\n" };
const PACE = "--retries 0 --late 0s";
const PUSH = `push a.csv b.csv ${PACE}`;
const ALL = [
  { cle: "K6", num_commande: "11" },
  { cle: "K7", num_commande: "2" },
  { cle: "K8", num_commande: "12" },
];
/** The service takes no update of the key that both have. */
const FAILED: readonly Step[] = [faults("status=500,match=K6"), [PUSH, 7], faults()];
/** The service holds these records, in any order. */
const holds =
  (...expected: readonly object[]): Step =>
  ({ sandbox }) => {
    const held = sandbox.store.snapshot("commandes");
    expect(held).toHaveLength(expected.length);
    expect(held).toEqual(expect.arrayContaining([...expected]));
  };

describe("of the files of one command, both with updates to send", () => {
  scenario("the first is resumed first, and no row is lost", FILES, [
    ...FAILED,
    ["resume", 0, "2 accepted"],
    ["resume", 0],
    holds(...ALL),
    ["resume", 2, "no run is open"],
  ]);
  scenario("the second is not resumed before the first, which rec-push runs says", FILES, [
    ...FAILED,
    ["runs", 0],
    async ({ last: { stdout }, command }) => {
      const [, first = "", second = ""] =
        /Next: once the run (\S+) is finished, rec-push resume (\S+) sends the rest/.exec(stdout) ?? [];
      expect(stdout).toContain(`Next: rec-push resume ${first} sends the rest`);
      expect(await command(["resume", second])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`finish it first: rec-push resume ${first}`),
      });
      for (const run of [first, second]) expect((await command(["resume", run])).code).toBe(0);
    },
    holds(...ALL),
  ]);
  scenario("the second goes on alone once the first is given up", FILES, [
    ...FAILED,
    ["runs", 0],
    async ({ last: { stdout }, command }) => {
      const [, first = ""] = /Next: once the run (\S+) is finished/.exec(stdout) ?? [];
      expect((await command(["runs", "abandon", first])).code).toBe(0);
    },
    ["resume", 0],
    holds(ALL[0]!, ALL[2]!),
  ]);
  scenario("one that a repeated command came to waits for the first, which it went on with", FILES, [
    faults("status=401"),
    [PUSH, 5],
    async ({ runs }) => expect(await runs()).toHaveLength(1),
    faults("status=500,match=K6"),
    [PUSH, 7],
    faults(),
    ["resume", 0],
    ["resume", 0],
    holds(...ALL),
  ]);
  scenario(
    "the same command goes on however often the second fails: what the first sent again is replaced",
    FILES,
    [faults("status=500,match=11"), [PUSH, 7], [PUSH, 7], [PUSH, 7], faults(), [PUSH, 0], holds(...ALL)],
  );
});

scenario(
  "a decision on what the second file has in doubt does not wait for the first",
  { "a.csv": "cle,num_commande\nK6,1\n", "b.csv": "cle,num_commande\nK6,11\n,12\n" },
  [
    faults("status=500,match=K6", "drop=after,kind=create"),
    [PUSH, 8],
    faults(),
    paste(/are there: rec-push (resume \S+ --in-doubt \S+=applied)$/m, 0, "2 accepted"),
  ],
);

scenario(
  "a run of another command does not wait for an older one",
  FILES,
  [
    faults("status=500,match=K6"),
    [`push a.csv ${PACE}`, 7],
    [`push b.csv ${PACE}`, 7],
    faults(),
    ["runs", 0, { not: "once the run" }],
    ["resume", 0],
  ],
  [ALL[0]!, ALL[2]!],
);

describe("of the files of one command, both with creates", () => {
  const rows = (count: number): string =>
    ["num_commande", ...Array.from({ length: count }, (_, at) => 551_000 + at), ""].join("\n");
  scenario(
    "the second is judged as if the first had been created",
    { "a.csv": rows(30), "b.csv": rows(31) },
    [
      ["push a.csv b.csv", 0, "30 of 31 creates were created before", "31 accepted, 30 skipped"],
      holdsOnce(31),
    ],
  );
});
