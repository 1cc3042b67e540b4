import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { decide, faults, holdsOnce, killAtHang, scenario } from "../support/scenario.ts";

const rows = (count: number, from = 0): string =>
  `num_commande;date_billed\n${Array.from({ length: count }, (_, at) => `${551_001 + from + at};13/07/2016\n`).join("")}`;
const KILLS = fileURLToPath(new URL("../support/kill-at-summary.mjs", import.meta.url));

it("rows of a delta push that was killed while it reported its end are not created again from another file", async () => {
  const { start, file, command, numbers } = await openWorld();
  const push = async (count: number) => [
    await file(`${count}.csv`, rows(count)),
    "-t",
    "commandes",
    "--exports",
    "delta",
  ];
  const killed = start(await push(5), { NODE_OPTIONS: `--import=${KILLS}` });
  expect((await killed.ended).signal).toBe("SIGKILL");
  expect(numbers()).toHaveLength(5);
  // The command failed, so the shop delivers its rows once more.
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
  { "one.csv": rows(5), "two.csv": rows(5, 5), "both.csv": rows(10) },
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
