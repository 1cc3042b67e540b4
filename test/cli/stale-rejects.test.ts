import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, vi } from "vitest";
import { edit, faults, holdsKeys, killAtHang, scenario } from "../support/scenario.ts";

const csv = (...rows: readonly string[]): string => ["cle;num_commande;date_billed", ...rows, ""].join("\n");
const PUSH = "push a.csv --on-invalid skip --date-format DD/MM/YYYY";
const MENDED = "push a.rejects.csv --delimiter semicolon";
const FILES = {
  "a.csv": csv("A1;1;32/07/2016", "A2;2;13/07/2016"),
  "next.csv": csv("A1;7;14/07/2016"),
  "other.csv": csv("A2;7;14/07/2016"),
};
const mend = edit("a.rejects.csv", "32/07", "31/07");

afterEach(() => {
  vi.useRealTimers();
});

describe("mended rejects", () => {
  scenario(
    "are passed over where a later push has sent all their fields, unless their values are said to be right",
    FILES,
    [
      [PUSH, 4],
      ["push next.csv", 0],
      // Also after finished runs were removed.
      ["runs prune", 0],
      mend,
      [MENDED, 0, "a.rejects.csv: 1 row (line 2) is passed over", "1 row read: 1 skipped"],
      ["runs", 0, "3 runs with nothing left to do"],
      holdsKeys("A1=7", "A2=2"),
      [`${MENDED} --stale-ok`, 0],
      holdsKeys("A1=1", "A2=2"),
    ],
  );
  scenario(
    "of two runs in one file, with an open run between them, say nothing about the rows of that one: a person is asked",
    { ...FILES, "open.csv": csv("A1;5;13/07/2016"), "late.csv": csv("A2;6;32/07/2016", "A3;6;13/07/2016") },
    [
      [PUSH, 4],
      faults("status=401"),
      ["push open.csv", 5],
      faults(),
      ["push late.csv --on-invalid skip --date-format DD/MM/YYYY", 4],
      async ({ file, directory }) => {
        const [first, second] = await Promise.all(
          ["a.rejects.csv", "late.rejects.csv"].map((name) => readFile(join(directory, name), "utf8")),
        );
        const rows = `${first}${second!.slice(second!.indexOf("\n") + 1)}`;
        await file("both.csv", rows.replaceAll("32/07", "31/07"));
      },
      ["push both.csv --delimiter semicolon", 0, "2 accepted"],
      ["resume", 2, "it is not known what later runs have sent with the key"],
      holdsKeys("A1=1", "A2=6", "A3=6"),
    ],
  );
  // The last row is in a later chunk than the first request.
  const long = Array.from({ length: 60 }, (_, at) => `B${at};x${at};${"text ".repeat(1600)}`);
  const skip = "--on-invalid skip --type note=text";
  scenario(
    "are as old as their run where their push is killed and resumed",
    {
      "a.csv": ["cle;num_commande;note", "A0;1;y", ...long, "A1;x1;y", ""].join("\n"),
      "next.csv": "cle;num_commande;note\nA1;7;z\n",
    },
    [
      [`push a.csv ${skip}`, 4],
      edit("a.rejects.csv", ";x", ";"),
      [`push next.csv ${skip}`, 0],
      faults("hang"),
      killAtHang(`${MENDED} --type note=text --batch-size 1 --concurrency 1`),
      ["resume", 0, "1 row (line 62) is passed over"],
      ({ held }) => expect(held()).toContainEqual({ cle: "A1", num_commande: "7", note: "z" }),
    ],
  );
  scenario(
    "are as old as their first run where they were mended in vain once",
    { ...FILES, "a.csv": csv("A1;1;32/07/2016", "A3;3;35/07/2016", "A2;2;13/07/2016") },
    [
      [PUSH, 4],
      ["push next.csv", 0],
      edit("a.rejects.csv", "35/07", "15/07"),
      [`${MENDED} --on-invalid skip --date-format DD/MM/YYYY`, 4],
      edit("a.rejects-2.csv", "32/07", "31/07"),
      ["push a.rejects-2.csv --delimiter semicolon", 0, "1 row read: 1 skipped"],
      holdsKeys("A1=7", "A2=2", "A3=3"),
    ],
  );
  scenario(
    "stop where a later push has sent only some of their fields, and go once the older cells are deleted",
    { ...FILES, "next.csv": "cle;num_commande\nA1;7\n" },
    [
      [PUSH, 4],
      ["push next.csv", 0],
      mend,
      [MENDED, 2, 'a.rejects.csv:2: later rows with the key "A1" were accepted, and give some of the fields'],
      holdsKeys("A1=7", "A2=2"),
      edit("a.rejects.csv", "A1;1;", "A1;;"),
      [MENDED, 0, "1 accepted"],
      holdsKeys("A1=7", "A2=2"),
    ],
  );
  scenario(
    "that were pushed while their run was open are left out once that run has sent later rows",
    { "a.csv": "cle;num_commande\nA1;1\nA2;2\nA1;3\n" },
    [
      faults("status=422,times=1", "status=401"),
      ["push a.csv --batch-size 1 --concurrency 1", 5],
      faults(),
      edit("a.rejects.csv", "A1;1", "A1;9"),
      [MENDED, 0],
      holdsKeys("A1=9"),
      ["resume", 4],
      holdsKeys("A1=3", "A2=2"),
      [
        MENDED,
        0,
        /was already pushed on .*: its mended rows are left out, .*--stale-ok sends its updates all the same/,
        "1 skipped",
        { not: /created twice|--again/ },
      ],
      holdsKeys("A1=3", "A2=2"),
      [`${MENDED} --stale-ok`, 0, "1 accepted"],
      holdsKeys("A1=9", "A2=2"),
    ],
  );
  scenario("that were pushed leave nothing to do for the run that wrote them, and no step says so", FILES, [
    [PUSH, 4],
    mend,
    [MENDED, 0],
    async ({ runs, command }) => {
      const ends = [];
      for (const run of await runs()) ends.push(await command(["resume", run]));
      for (const { code, stdout } of ends)
        expect([code, stdout]).toEqual([0, expect.not.stringContaining("Next:")]);
      expect(ends.map(({ stderr }) => stderr).join("")).toContain(
        "what it left to mend was mended and pushed since",
      );
    },
  ]);
  scenario(
    "are sent where later pushes have sent other keys only, and again when they were corrected once more",
    FILES,
    [
      [PUSH, 4],
      ["push other.csv", 0],
      mend,
      [MENDED, 0],
      holdsKeys("A1=1", "A2=7"),
      edit("a.rejects.csv", "A1;1;", "A1;5;"),
      [MENDED, 0],
      holdsKeys("A1=5", "A2=7"),
    ],
  );
  scenario(
    "are passed over too where they were moved before the later push, and leave nothing to do then",
    FILES,
    [
      [PUSH, 4],
      mend,
      ({ directory }) => rename(join(directory, "a.rejects.csv"), join(directory, "moved.csv")),
      ["push next.csv", 0],
      ["runs", 0, /a\.rejects\.csv is gone/],
      ["push moved.csv --delimiter semicolon", 0, "1 row (line 2) is passed over"],
      holdsKeys("A1=7", "A2=2"),
      ["runs", 0, "3 runs with nothing left to do", { not: "is gone" }],
    ],
  );
  scenario(
    "stop where a later push no longer expected them, and are sent if they are said to be right",
    { "a.csv": "cle;num_commande\nA1;x1\nA2;2\n", "next.csv": "cle;num_commande\nA1;7\n" },
    [
      () => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 40 * 86_400_000 }),
      ["push a.csv --on-invalid skip", 4],
      () => void vi.useRealTimers(),
      ["push next.csv", 0],
      edit("a.rejects.csv", ";x", ";"),
      [MENDED, 2, 'it is not known what later runs have sent with the key "A1"'],
      holdsKeys("A1=7", "A2=2"),
      [`${MENDED} --stale-ok`, 0],
    ],
  );
  for (const [name, pattern, file] of [
    ["without their first columns", /^(?:[^;]*;){5}/gm, "a.rejects.csv"],
    ["as a copy", /$^/g, "mended.csv"],
  ] as const)
    scenario(`are passed over ${name} too`, FILES, [
      [PUSH, 4],
      ["push next.csv", 0],
      mend,
      async (world) => {
        const text = await readFile(join(world.directory, "a.rejects.csv"), "utf8");
        await writeFile(join(world.directory, file), text.replaceAll(pattern, ""));
      },
      [`push ${file} --delimiter semicolon`, 0, "1 row (line 2) is passed over"],
      holdsKeys("A1=7", "A2=2"),
    ]);
});
