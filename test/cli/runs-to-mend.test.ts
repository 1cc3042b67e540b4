import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "../support/open-world.ts";
import { runMain } from "../support/run-main.ts";
import {
  edit,
  faults,
  holdsOnce,
  paste,
  scenario,
  type ScenarioWorld,
  type Step,
  write,
} from "../support/scenario.ts";
import { ageClosed } from "../support/table-parts.ts";
import { makeDirectory } from "../support/temp-files.ts";

const ROWS = "cle,num_commande,date_billed\nA1,1,2016-07-13\nA2,2,soon\n";
const FILES = { "a.csv": ROWS };
const MEND = "mend the 1 row in a.rejects.csv, then push that file: rec-push a.rejects.csv ";
/** A push that left a row to be mended. */
const LEFT: Step = ["push a.csv --on-invalid skip --quiet", 4];
const mend = edit("a.rejects.csv", "soon", "2016-07-14");
describe("rec-push runs says of the rows that a finished run left to be mended", () => {
  scenario("where they are, and the command that pushes them, until they are pushed", FILES, [
    LEFT,
    ["resume RUN", 4, MEND],
    mend,
    ["runs", 0, MEND],
    paste(/then push that file: rec-push (.*)/, 0),
    ({ numbers }) => expect(numbers()).toEqual(["1", "2"]),
    ["runs", 0, { not: "mend" }],
  ]);
  scenario("the same where the input was overwritten or is gone, and to programs", FILES, [
    LEFT,
    write("a.csv", `${ROWS}A3,3,2016-07-15\n`),
    ["runs", 0, MEND],
    ({ directory }) => rm(join(directory, "a.csv")),
    ["runs", 0, MEND],
    ["resume RUN", 4, MEND],
    ["runs --json", 0, /"state":"finished".*"rowsToMend":{"path":"a\.rejects\.csv","rows":1/],
  ]);
  it("a command that works from any directory, with the files that its options name", async () => {
    const { file, directory, env, numbers } = await openWorld();
    const orders = await file("a.csv", ROWS.replace("soon", "soon\nA3,3,"));
    await file("config.json", "{}");
    const words = ["-t", "commandes", "--on-invalid", "skip", "--config", "config.json"];
    expect((await runMain([orders, ...words], { cwd: directory, env })).code).toBe(4);
    const elsewhere = { cwd: await makeDirectory(), env };
    const { stdout } = await runMain(["runs"], elsewhere);
    const [, printed = ""] = /then push that file: rec-push (.*)/.exec(stdout)!;
    expect(printed).toContain(`--config ${join(directory, "config.json")}`);
    await file("a.rejects.csv", "cle,num_commande\nA2,2\n");
    expect((await runMain(splitWords(printed), elsewhere)).code).toBe(0);
    expect(numbers()).toContain("2");
  });
  scenario("nothing, where the rejects of the next export took their place", FILES, [
    LEFT,
    write("a.csv", `${ROWS}A3,3,2016-07-15\n`),
    ["push a.csv --on-invalid skip --exports full --identify-by record", 4],
    ["runs", 0, /^(?:(?!mend the 1 row)[^])*mend the 1 row(?:(?!mend the 1 row)[^])*$/],
    ["runs RUN", 0, { not: "mend the 1 row" }],
  ]);
});

describe("a create that the service refused", () => {
  const rows = Array.from({ length: 12 }, (_, at) => `;${1001 + at}`);
  /** Twelve creates, one of which the service refuses, and an update: a later push of the file still sends something. */
  const files = { "a.csv": ["cle;num_commande", ...rows, "A;7", ""].join("\n") };
  const PUSH = "push a.csv --atomic-batches --delimiter ';'";
  const refused: readonly Step[] = [faults("refuse=num_commande:1003"), [PUSH, 4], faults()];
  const isGone: Step = async ({ run, runs }) => expect(await runs()).not.toContain(run);
  for (const [name, ...prune] of [
    ["rec-push runs prune", ["runs prune", 0]],
    ["40 days", ({ state }: ScenarioWorld) => ageClosed(state, 40), [PUSH, 4]],
  ] as readonly (readonly [string, ...Step[]])[])
    scenario(`is not forgotten by ${name}: its file is named until it was mended and pushed`, files, [
      ...refused,
      ...prune,
      [PUSH, 4, "a.rejects.csv"],
      [PUSH, 4, "a.rejects.csv"],
      ["runs", 0, "mend the 1 row in a.rejects.csv"],
      edit("a.rejects.csv", ";1003", ";2003"),
      ["push a.rejects.csv --atomic-batches", 0],
      // Nothing is left, also where the file is removed then.
      ({ directory }) => rm(join(directory, "a.rejects.csv")),
      [PUSH, 0],
      ["runs prune", 0],
      isGone,
      [PUSH, 0],
      holdsOnce(13),
    ]);
  scenario(
    "is not forgotten because its file is gone, until the user gives it up, which takes no other create out",
    files,
    [
      ...refused,
      ({ directory }) => rm(join(directory, "a.rejects.csv")),
      ["runs prune", 0, /rec-push runs abandon \S+ gives them up/],
      async ({ command, state, run }) =>
        expect((await command(["runs", "prune", "--state-dir", state])).stdout).toContain(
          `rec-push runs --state-dir ${state} abandon ${run} gives them up`,
        ),
      [PUSH, 4, /rec-push runs abandon \S+/],
      ["runs RUN", 0, "a.rejects.csv is gone, and 1 row of it was never mended and pushed"],
      ["runs abandon RUN", 0, "left to be mended is given up and not sent"],
      ["runs abandon RUN", 2],
      [PUSH, 0],
      ["runs prune", 0],
      [PUSH, 0],
      holdsOnce(12),
    ],
  );
});
