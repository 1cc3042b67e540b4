import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";
import { runsIn } from "../support/table-parts.ts";

const CSV = "num_commande\n551000\nx\n551001\n551002\n";

/** A run with an invalid row, whose first create was refused and whose last is in doubt: it was killed before it wrote any file of rows. */
async function killRun(isStream: boolean) {
  const sandbox = await openSandbox({
    faults: ["refuse=num_commande:551000", "hang,after-applying,kind=create,skip=2"],
  });
  const home = makeStateHome();
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = isStream ? "-" : await makeFile("orders.csv", CSV);
  const argv = [
    file,
    "-t",
    "commandes",
    "--concurrency",
    "1",
    "--batch-size",
    "1",
    "--retries",
    "0",
    "--on-invalid",
    "skip",
    "--header-line",
    "1",
  ];
  const killed = startProcess(argv, env);
  killed.child.stdin!.end(isStream ? CSV : "");
  while (heldBy(sandbox).length < 2 && killed.child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 10));
  killed.child.kill("SIGKILL");
  await killed.ended;
  sandbox.setFaults([]);
  const [run = ""] = await readdir(runsIn(join(home, "rec-push")));
  return { run, command: (...words: readonly string[]) => runProcess(words, { env }) };
}

describe.each([
  ["a file", false],
  ["standard input", true],
])("a run of %s that was killed before it wrote its files of rows", (_, isStream) => {
  it("has what was refused written by the command that decides on its doubt", async () => {
    const { run, command } = await killRun(isStream);
    const { code, stdout } = await command(...(await decisionOn((argv) => command(...argv), "applied", run)));
    expect([code, stdout]).toEqual([4, expect.stringContaining("2 accepted, 1 refused, 1 rejected")]);
    const [, path = ""] = /Next: mend the 2 rows in (\S+),/.exec(stdout) ?? [];
    const text = await readFile(path, "utf8");
    expect(text).toMatch(/^[^;]+;2;.*551000$/m);
    expect(text).toMatch(/^[^;]+;3;.*;x$/m);
    if (isStream) return;
    // The file is named again, not written again. The copy of standard input is gone with its run.
    const again = await command("resume", run);
    expect(again.stdout).toContain(`Next: mend the 2 rows in ${path},`);
  });

  it("has what is in doubt written by the command that goes on with it", async () => {
    const { run, command } = await killRun(isStream);
    const { code, stdout } = await command("resume", run);
    expect(code).toBe(8);
    const [, path = ""] = /Next: mend the 2 rows in (\S+),/.exec(stdout) ?? [];
    const text = await readFile(path, "utf8");
    expect(text).toMatch(/^[^;]+;2;.*551000$/m);
    expect(text).toMatch(/^[^;]+;3;.*;x$/m);
    expect(stdout).toContain("in doubt: 1 create");
  });
});
