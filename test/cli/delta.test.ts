import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import {
  decide,
  edit,
  faults,
  holdsOnce,
  killAtHang,
  scenario,
  type Step,
  write,
} from "../support/scenario.ts";
import { openShardWorld, sentNumbers } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const rows = (count: number, day = "13"): string[] =>
  Array.from({ length: count }, (_, at) => `${551_001 + at};${at < 2 ? day : "13"}/07/2016;${10 + at},50`);
const csv = (lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");
const PUSH = "push a.csv --exports delta";
const MENDED = "push a.rejects.csv --exports delta --delimiter semicolon";

/** A push of six creates has rejected the first two, whose rejects file is mended. */
const FILES = { "a.csv": csv(rows(6, "32")) };
const REJECTED: readonly Step[] = [[`${PUSH} --on-invalid skip`, 4], edit("a.rejects.csv", "32/07", "13/07")];
const whole = write("a.csv", csv(rows(8)));

scenario("mended rejects are not created again from the whole file, once that was mended and pushed", FILES, [
  ...REJECTED,
  whole,
  [PUSH, 0],
  holdsOnce(8),
  [MENDED, 0, "2 of 2 creates were created before"],
  // Without their first columns they are known by their place.
  async ({ directory }) => {
    const path = join(directory, "a.rejects.csv");
    await writeFile(path, (await readFile(path, "utf8")).replaceAll(/^(?:[^;]*;){3}/gm, ""));
  },
  [MENDED, 0],
  holdsOnce(8),
]);

scenario("the mended whole file does not create again what its mended rejects created", FILES, [
  ...REJECTED,
  [MENDED, 0],
  holdsOnce(6),
  whole,
  [PUSH, 0],
  holdsOnce(8),
]);

scenario(
  "the next file may hold all rows again of a command that left some of one of its files",
  { "a.csv": csv(rows(3, "32")), "b.csv": csv(rows(6).slice(3)), "c.csv": csv(rows(8)) },
  [
    ["push a.csv b.csv --exports delta --on-invalid skip", 4],
    holdsOnce(4),
    ["push c.csv --exports delta", 0],
    holdsOnce(8),
  ],
);

it("the next file may hold all rows again of a plan that left some in one of its shards", async () => {
  const { plan, shard, runs, run, service } = await openShardWorld();
  const file = await makeFile("orders.csv", FILES["a.csv"]);
  expect((await plan([file], 2, ["--exports", "delta", "--on-invalid", "skip"])).code).toBe(0);
  expect([(await shard(1, 2)).code, (await shard(2, 2)).code]).toEqual([4, 0]);
  expect((await runs()).code).toBe(4);
  const next = await makeFile("next.csv", csv(rows(8)));
  expect((await run([next, "-t", "commandes", "--exports", "delta"])).code).toBe(0);
  expect(sentNumbers(service.taken)).toEqual(rows(8).map((_, at) => 551_001 + at));
});

scenario(
  "a resumed run does not create what a later delta push has created since",
  { "a.csv": csv(rows(6)) },
  [
    faults("status=401,kind=create,skip=1"),
    [`${PUSH} --batch-size 2`, 5],
    faults(),
    // One row is corrected, so the stopped run stays open.
    write("a.csv", csv([...rows(5), "551006;13/07/2016;99,00"])),
    [PUSH, 0],
    holdsOnce(6),
    write("a.csv", csv(rows(6))),
    ["resume", 0],
    // Only the row that was corrected is another record.
    ({ numbers }) => expect(numbers()).toHaveLength(7),
  ],
);

scenario(
  "mended rejects that equal a record of an earlier delta file are created",
  { ...FILES, "before.csv": csv(rows(2)) },
  [
    ["push before.csv --exports delta", 0],
    ...REJECTED,
    [MENDED, 0],
    ({ numbers }) => expect(numbers()).toHaveLength(8),
  ],
);

const dated = (count: number, from = 0): string =>
  `num_commande;date_billed\n${Array.from({ length: count }, (_, at) => `${551_001 + from + at};13/07/2016\n`).join("")}`;
const KILLS = fileURLToPath(new URL("../support/kill-at-summary.mjs", import.meta.url));

it("rows of a delta push that was killed while it reported its end are not created again from another file", async () => {
  const { start, file, command, numbers } = await openWorld();
  const push = async (count: number) => [
    await file(`${count}.csv`, dated(count)),
    "-t",
    "commandes",
    "--exports",
    "delta",
  ];
  const killed = start(await push(5), { NODE_OPTIONS: `--import=${KILLS}` });
  expect((await killed.ended).signal).toBe("SIGKILL");
  expect(numbers()).toHaveLength(5);
  // The command failed, so the shop delivers its dated once more.
  expect(await command(await push(8))).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("5 of 8 creates were created before"),
  });
  expect(numbers()).toHaveLength(8);
  expect((await command(await push(9))).stderr).toContain("5 of 9 creates were created before");
});

const DELTA = "--exports delta";
scenario(
  "rows of the first file are not created again where the command was killed in the second",
  { "one.csv": dated(5), "two.csv": dated(5, 5), "both.csv": dated(10) },
  [
    // The first file takes two requests, the second one begins with a third.
    faults("hang,kind=create,skip=2"),
    killAtHang(`push one.csv two.csv ${DELTA}`),
    holdsOnce(5),
    [`push both.csv ${DELTA}`, 8],
    decide("absent", 0),
    [`push both.csv ${DELTA}`, 0],
    holdsOnce(10),
  ],
);
