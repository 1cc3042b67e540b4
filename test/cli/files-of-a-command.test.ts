import { describe, expect } from "vitest";
import { faults, paste, scenario, type ScenarioWorld, type Step } from "../support/scenario.ts";

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

/** The open run of a file. */
const runOf = async ({ command }: ScenarioWorld, file: string): Promise<string> => {
  const runs = (await command(["runs", "--json"])).events();
  return String(runs.find((run) => String(run["file"]).endsWith(file))?.["run"]);
};

describe("of the files of one command, both with updates to send", () => {
  scenario("the first is resumed first, and no row is lost", FILES, [
    ...FAILED,
    ["resume", 0, "2 accepted"],
    ["resume", 0],
    holds(...ALL),
    ["resume", 2, "no run is open"],
  ]);
  scenario(
    "the second may be resumed first: it replaces the rows of the first, which are passed over",
    FILES,
    [
      ...FAILED,
      async (world) => {
        for (const file of ["b.csv", "a.csv"]) {
          const end = await world.command(["resume", await runOf(world, file)]);
          expect([end.code, end.stderr]).toEqual([0, expect.anything()]);
        }
      },
      holds(...ALL),
    ],
  );
  scenario("the second goes on alone once the first is given up", FILES, [
    ...FAILED,
    async (world) =>
      expect((await world.command(["runs", "abandon", await runOf(world, "a.csv")])).code).toBe(0),
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
    ["resume", 0],
  ],
  [ALL[0]!, ALL[2]!],
);
