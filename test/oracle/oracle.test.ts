import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { makeDirectory } from "../support/temp-files.ts";
import type { Difference } from "./compare.ts";
import { compareBuilds } from "./compare-builds.ts";
import type { Intended } from "./judge.ts";
import { namedScenarios } from "./named-scenarios.ts";
import { report } from "./report.ts";
import { drawScenarios } from "./scenarios.ts";
import type { Case } from "./world.ts";

const BUILD = resolve(".");
const FILE = "orders.csv";

/** A row that is rejected, an update and a create. */
const PUSH: Case = {
  name: "files/orders.csv",
  async play(world) {
    world.write(
      FILE,
      'cle,date_billed,actual_billable_amount\nA,25/07/2025,"12,50"\nB,26/07/2025,soon\n,27/07/2025,"3,00"\n',
    );
    await world.run([FILE, "--table", "commandes", "--json", "--on-invalid", "skip", "--concurrency", "1"]);
  },
};
const ANOTHER_QUERY = namedScenarios().find(({ name }) => name.includes("query"));

/** A build that does the same as the real one, but for these lines of its script. */
async function doctor(lines: string): Promise<string> {
  const build = await makeDirectory();
  await mkdir(join(build, "bin"));
  const real = JSON.stringify(join(BUILD, "bin/rec-push.js"));
  await writeFile(
    join(build, "bin/rec-push.js"),
    `const fs = require("node:fs");\n${lines}\nrequire(${real});\n`,
  );
  return build;
}

async function compare(
  cases: readonly Case[],
  fresh: string,
  intended: readonly Intended[] = [],
): Promise<{ left: readonly Difference[]; unused: readonly Intended[] }> {
  const directory = await makeDirectory();
  return compareBuilds(cases, { builds: [BUILD, fresh], intended, directory, jobs: 2 });
}

function told({ where, old, new: is }: Difference): string {
  return `${where}: ${old ?? "(nothing)"} -> ${is ?? "(nothing)"}`;
}

describe.runIf(process.platform === "linux")("the oracle", () => {
  it("finds nothing between a build and itself, whatever is killed and refused", async () => {
    const { left } = await compare([PUSH, ANOTHER_QUERY!, ...drawScenarios(9, 1)], BUILD);
    expect(left).toEqual([]);
  });

  it("sees a value that is sent, and names it before its consequences", async () => {
    const build = await doctor(
      `fs.writeFileSync("${FILE}", fs.readFileSync("${FILE}", "utf8").replace("12,50", "12,60"));`,
    );
    const { left } = await compare([PUSH], build);
    expect(told(left[0]!)).toBe("received.actual_billable_amount: 12.50 -> 12.60");
    expect(report(left, false)[1]).toBe("received.actual_billable_amount: 1 in 1 case");
  });

  it.runIf(atNight)("sees another exit code, and takes it where it is intended", async () => {
    const build = await doctor("process.on('exit', (code) => { if (code === 4) process.exitCode = 0; });");
    const wrong: Intended = { where: "exit", old: 4, new: 3, because: "never" };
    const found = await compare([PUSH], build, [wrong]);
    expect(found.left.map(told)).toEqual(["exit: 4 -> 0"]);
    expect(found.unused).toEqual([wrong]);
    const right: Intended = { where: "exit", case: /^files/, old: 4, new: 0, because: "rows are left out" };
    expect(await compare([PUSH], build, [right])).toMatchObject({ left: [], unused: [] });
  });

  it.runIf(atNight)("sees a row that is missing in a file, and a record that is never covered", async () => {
    const build = await doctor(
      `if (process.argv.includes("--table")) process.on("exit", () => {
         fs.writeFileSync("orders.rejects.csv", fs.readFileSync("orders.rejects.csv", "utf8").replace(/\\n3,.*\\n/, "\\n"));
       });
       fs.appendFileSync("${FILE}", ",28/07/2025,9\\n");`,
    );
    const intended: Intended = { where: /^event:summary/, covers: "case", because: "there are more rows" };
    const { left } = await compare([PUSH], build, [intended]);
    expect(left.map(({ where }) => where)).toEqual(["received"]);
    const { left: all } = await compare([PUSH], build);
    expect(all.map(({ where }) => where)).toContain("file:orders.rejects.csv");
  });
});
