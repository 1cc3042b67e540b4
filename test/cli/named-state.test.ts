import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { nameState } from "../../src/report/summary-lines.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

const ROWS = "num_commande,note\n1,a\n2,b\n3,c\n";

/** A push with a state directory of its own that has creates in doubt, which the service does not hold. */
async function openDoubt() {
  const sandbox = await openSandbox({ faults: ["drop=before,times=1"] });
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const [here, elsewhere] = [await makeDirectory(), await makeDirectory()];
  await writeFile(join(here, "orders.csv"), ROWS);
  const run = (argv: readonly string[], cwd = here) => runProcess(argv, { env, cwd });
  const named = ["--state-dir", "the state"];
  const pushed = await run(["orders.csv", "-t", "commandes", "--type", "note=text", ...named]);
  expect(pushed.code).toBe(8);
  return { ...pushed, run, elsewhere, named, sandbox };
}

describe("the commands that are printed under --state-dir find it from every directory", () => {
  it.each(["push", "JSON of runs"])("printed by %s", async (by) => {
    const { stdout, run, elsewhere, named, sandbox } = await openDoubt();
    const listed = (await run(["runs", ...named, "--json"])).stdout;
    const steps = by === "push" ? stdout.split("\n") : (JSON.parse(listed) as { next: string[] }).next;
    const step = steps.find((line) => line.includes("if they are not")) ?? "";
    const words = splitWords(/rec-push (resume .*)/.exec(step)?.[1] ?? "");
    expect(words).toContain("--state-dir");
    const { code } = await run(words, elsewhere);
    expect(code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(3);
  });

  it("printed for a run that is not there", async () => {
    const { run, elsewhere, named } = await openDoubt();
    const { code, stderr } = await run(["resume", "nonsense", ...named]);
    expect(code).toBe(2);
    const [, words = ""] = /(runs --state-dir .*) lists them/.exec(stderr) ?? [];
    expect((await run(splitWords(words), elsewhere)).stdout).toContain("orders.csv -> commandes");
  });
});

it("names a state directory once, and not for a shard, whose runs are in its plan", () => {
  const of = (text: string): string => nameState(text, "/a b");
  expect(of("rec-push runs says more")).toBe('rec-push runs --state-dir "/a b" says more');
  expect(of("rec-push ledger add F --state-dir x")).toBe("rec-push ledger add F --state-dir x");
  expect(of("rec-push resume --plan p --shard 1/2")).toBe("rec-push resume --plan p --shard 1/2");
  expect(nameState("rec-push runs", undefined)).toBe("rec-push runs");
});
