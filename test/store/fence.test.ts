import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { lastJournals, makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";
import { allRunsIn, runsIn } from "../support/table-parts.ts";

describe("the fence in a run's journal", () => {
  it("is in every line, with the line's number, and grows with each command that resumes the run", async () => {
    const sandbox = await openSandbox({ faults: ["status=500,times=3"] });
    const home = makeStateHome();
    const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\n,2\n,3\n");
    const again = ["--concurrency", "1", "--retries", "0", "--max-failed", "1"];
    expect((await pushTo(sandbox, [file, ...again], { env })).code).toBe(7);
    expect((await pushTo(sandbox, [file, ...again], { env })).code).not.toBe(0);
    await runMain(["resume"], { env });
    const command = (argv: readonly string[]) => runMain(argv, { env });
    const listed = await command(["runs", "--all", "--json"]);
    if (listed.stdout.includes('"doubt"')) await command(await decisionOn(command, "applied"));
    const [run = ""] = await allRunsIn(join(home, "rec-push"));
    const text = lastJournals.get(join(runsIn(join(home, "rec-push")), run, "journal"))!.toString();
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line.slice(9)) as { n: number; fence: number; entry: string });
    expect(lines.map(({ n }) => n)).toEqual(lines.map((_, at) => at + 1));
    const begun = lines.filter(({ entry }) => entry === "begin");
    expect(begun.length).toBeGreaterThan(2);
    const fences = begun.map(({ fence }) => fence);
    expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b));
    let fence = 1;
    for (const line of lines) {
      if (line.entry === "begin") ({ fence } = line);
      expect(line.fence).toBe(fence);
    }
  });
});
