import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, vi } from "vitest";
import { abandon, decide, faults, scenario, type Step, write } from "../support/scenario.ts";

const rows = (...pairs: readonly string[]): string => `cle,num_commande\n${pairs.join("\n")}\n`;
const FILES = {
  "old.csv": rows("A1,1", "A2,1", "A3,1"),
  "newer.csv": rows("B1,2", "A2,2"),
  "other.csv": rows("B1,2", "B2,2"),
};
const SLOWLY = "--batch-size 1 --concurrency 1";
let older = "";
/** An open run that has sent nothing yet. */
const OPEN: readonly Step[] = [
  faults("status=401"),
  ["push old.csv", 5],
  faults(),
  ({ run }) => void (older = run),
];
/** The service holds these values of keys. */
const values =
  (expected: Readonly<Record<string, string>>): Step =>
  ({ held }) =>
    expect(Object.fromEntries(held().map(({ cle, num_commande }) => [cle, num_commande]))).toMatchObject(
      expected,
    );
/** Spoils the journal of the later run, in which the older one is not resumed then, and mends it again. */
const spoilt = (...ways: readonly ((text: string) => string | undefined)[]): Step[] =>
  ways.map((change) => async ({ runs, directoryOf, command }) => {
    const later = (await runs()).find((run) => run !== older)!;
    const journal = join(directoryOf(later), "journal");
    const text = await readFile(journal, "utf8");
    const other = change(text);
    expect(other).not.toBe(text);
    if (other === undefined) await rm(journal);
    else await writeFile(journal, other);
    expect(await command(["resume", older])).toMatchObject({ code: 2 });
    await writeFile(journal, text);
  });
const setClockBack: Step = () => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 86_400_000 });
const setClockRight: Step = () => void vi.useRealTimers();

afterEach(() => {
  vi.useRealTimers();
});

describe("a run that is older than another on its table", () => {
  scenario(
    "is named by the later one, and passes rows over of which that one sent all fields, naming the line",
    FILES,
    [
      ...OPEN,
      async ({ push, directory }) => {
        const { code, stdout, stderr } = await push([join(directory, "newer.csv")]);
        expect([code, stdout + stderr]).toEqual([0, expect.stringContaining(older)]);
      },
      [
        "resume --quiet",
        0,
        /^\n.*inferred.*\nold\.csv: 1 row \(line 3\) is passed over: later rows with the same key/,
      ],
      values({ A1: "1", A2: "2", A3: "1" }),
      ["runs --all", 0, "2 accepted, 1 skipped"],
    ],
  );
  scenario(
    "passes them over too where the later one was given up with creates in doubt, which were decided, and runs were pruned",
    { ...FILES, "mixed.csv": rows("A2,2", ",9") },
    [
      ...OPEN,
      faults("drop=after,kind=create"),
      ["push mixed.csv", 8],
      faults(),
      async ({ runs, command }) => {
        const later = (await runs()).find((run) => run !== older)!;
        expect((await command(["runs", "abandon", later])).code).toBe(0);
      },
      decide("applied", 0),
      ["runs prune", 0],
      ["resume RUN", 0, "2 accepted, 1 skipped"],
      values({ A1: "1", A2: "2", A3: "1" }),
      ["runs prune", 0],
      async ({ runs }) => expect(await runs()).toEqual([]),
    ],
  );
  scenario("still passes them over where the first resume sent nothing else", FILES, [
    ...OPEN,
    ["push newer.csv", 0],
    faults("status=401"),
    ["resume RUN", 5],
    faults(),
    ["resume RUN", 0, "2 accepted, 1 skipped"],
    values({ A1: "1", A2: "2", A3: "1" }),
  ]);
  scenario("sends them with --stale-ok", FILES, [
    ...OPEN,
    ["push newer.csv", 0],
    ["resume RUN --stale-ok", 0],
    values({ A2: "1" }),
  ]);
  scenario("sends rows of which the later one gave other fields, or other keys", FILES, [
    ...OPEN,
    write("other.csv", "cle,ville,num_commande\nA2,Nice,\nB1,Lyon,2\n"),
    ["push other.csv", 0],
    ["resume RUN", 0],
    values({ A1: "1", A2: "1", A3: "1" }),
  ]);
  scenario(
    "is sent after the files before it in its command, whose updates go out once more",
    { "a.csv": rows("K1,1"), "b.csv": rows("K1,2", "K2,2") },
    [
      ...[1, 2].flatMap((): Step[] => [faults("status=401,skip=1"), ["push a.csv b.csv", 5]]),
      faults(),
      ["push a.csv b.csv", 0, "3 accepted"],
      values({ K1: "2", K2: "2" }),
    ],
  );
  scenario("is not resumed, whatever keys the later one sent, where its journal is damaged or lost", FILES, [
    ...OPEN,
    faults("status=401,skip=1"),
    [`push other.csv ${SLOWLY}`, 5],
    faults(),
    ...spoilt(
      (text) => text.replace('"entry":"keys"', '"entry":"kezs"'),
      () => undefined,
    ),
    ["resume RUN", 0],
    values({ A3: "1" }),
  ]);
  scenario(
    "is not resumed either where the keys that a closed later one left are changed or lost, also once it is pruned",
    FILES,
    [
      ...OPEN,
      ["push other.csv", 0],
      // As long as the older one is open, they stay.
      ["runs prune", 0],
      ...spoilt(
        (text) => text + text,
        (text) => text.slice(0, text.lastIndexOf("\n", text.indexOf('"entry":"keys"')) + 1),
        () => undefined,
      ),
      ["resume RUN", 0],
      values({ A3: "1" }),
      ["runs prune", 0],
      async ({ runs }) => expect(await runs()).toEqual([]),
    ],
  );
  scenario("is resumed if the service accepted nothing of the later one", FILES, [
    ...OPEN,
    faults("status=401"),
    ["push newer.csv", 5],
    faults(),
    ["push old.csv", 0],
    values({ A2: "1" }),
    // The later run then sends its own value.
    ["resume", 0],
    values({ A2: "2" }),
    ["resume RUN", 0],
  ]);
  scenario("stays the older one when the clock was set back in between", FILES, [
    ...OPEN,
    setClockBack,
    ["push newer.csv", 0],
    setClockRight,
    ["resume RUN", 0, "2 accepted, 1 skipped"],
  ]);
  scenario(
    "creates nothing that later pushes, which named what identifies a record, created with other values",
    {
      "first.csv": "num_commande,ville\n1,Lyon\n2,Paris\n3,Lille\n",
      "second.csv": "num_commande,ville\n1,Nice\n2,Paris\n",
    },
    [
      faults("status=401"),
      ["push first.csv --other-columns send", 5],
      faults(),
      ["push second.csv --other-columns send --exports full --identify-by num_commande", 0],
      ["resume", 4, "1 create was created before with other values (line 2)"],
      ({ numbers }) => expect(new Set(numbers())).toEqual(new Set(["1", "2", "3"])),
      ({ numbers }) => expect(numbers()).toHaveLength(3),
    ],
  );
  const MANY = Array.from({ length: 131_074 }, (_, at) => `${at + 1},Lyon\n`).join("");
  scenario(
    "creates every row where a field that later pushes named does not tell its many rows apart",
    {
      "first.csv": `num_commande,ville\n${MANY}131074,Paris\n`,
      "second.csv": "num_commande,ville\n999999,Nice\n",
    },
    [
      faults("status=401"),
      ["push first.csv --other-columns send", 5],
      faults(),
      ["push second.csv --other-columns send --exports full --identify-by num_commande", 0],
      ["resume RUN", 0, "131,075 accepted"],
      ({ numbers }) => expect(numbers().filter((number) => number === "131074")).toHaveLength(2),
    ],
  );
});

scenario(
  "one command with several files goes on with all of them after an update of the first failed",
  FILES,
  [
    ...OPEN,
    abandon,
    faults("status=500,times=1"),
    ["push old.csv newer.csv --retries 0", 7, "1 accepted, 3 failed, 1 not sent"],
    faults(),
    ["push old.csv newer.csv", 0],
    values({ A1: "1", A2: "2" }),
  ],
);
