import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { heldBy, openSandbox, pushTo } from "./push-to-sandbox.ts";
import { type MainWorld, makeStateHome, runMain } from "./run-main.ts";
import { startProcess } from "./run-process.ts";
import { allRunsIn, runsIn } from "./table-parts.ts";
import { makeDirectory } from "./temp-files.ts";

/** A sandbox, a directory for files, and commands that keep their runs in one place. */
export async function openWorld(faults: readonly string[] = [], token?: string) {
  const sandbox = await openSandbox({ faults: [...faults], ...(token === undefined ? {} : { token }) });
  const [home, directory] = [makeStateHome(), await makeDirectory()];
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const state = join(home, "rec-push");
  /** What `prove` has pushed. */
  const before = { runs: [] as readonly string[], records: 0 };
  const held = () => heldBy(sandbox).slice(before.records);
  const command = (argv: readonly string[], more: Record<string, string> = {}) =>
    runMain(argv, { env: { ...env, ...more }, others: "nothing", cwd: directory });
  const start = (argv: readonly string[], more: Record<string, string> = {}) =>
    startProcess(argv, { ...env, ...more }, directory, "nothing");
  return {
    sandbox,
    home,
    state,
    env,
    directory,
    /** Writes a file into the directory; returns its path. */
    file: async (name: string, content: string | Buffer): Promise<string> => {
      await writeFile(join(directory, name), content);
      return join(directory, name);
    },
    push: (argv: readonly string[], more: MainWorld = {}) =>
      pushTo(sandbox, argv, { ...more, env: { ...env, ...more.env } }),
    /** A command exactly as users write it. */
    command,
    /**
     * Lets the service accept the creates of this text, so that later ones go in whole batches; their run and records are not shown.
     */
    prove: async (csv: string): Promise<void> => {
      const seed = join(await makeDirectory(), "seed.csv");
      await writeFile(seed, csv);
      const { code } = await command(["push", seed, "-t", "commandes", "--other-columns", "send"]);
      expect(code).toBe(0);
      Object.assign(before, { runs: await allRunsIn(state), records: heldBy(sandbox).length });
    },
    /** The same in a process of its own. */
    start,
    /** Kills such a process once a request of it hangs; the service has no faults from then on. */
    killAtHang: async (argv: readonly string[], stdin = ""): Promise<void> => {
      const { child, ended } = start(argv);
      child.stdin?.end(stdin);
      const before = sandbox.requests().statuses["hang"];
      while (sandbox.requests().statuses["hang"] === before && child.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill("SIGKILL");
      expect(await ended).toMatchObject({ signal: "SIGKILL" });
      sandbox.setFaults([]);
    },
    /** Names of the runs that are kept. */
    runs: async () => (await allRunsIn(state)).filter((run) => !before.runs.includes(run)),
    /** The directory of a run. */
    directoryOf: (run: string) => join(runsIn(state), run),
    held,
    numbers: () => held().map((fiche) => fiche["num_commande"]),
  };
}
