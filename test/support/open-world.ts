import { join } from "node:path";
import { heldBy, openSandbox, pushTo } from "./push-to-sandbox.ts";
import { makeStateHome, runMain } from "./run-main.ts";
import { allRunsIn, runsIn } from "./table-parts.ts";

/** A sandbox, and commands that keep their runs in one place. */
export async function openWorld(faults: readonly string[] = [], token?: string) {
  const sandbox = await openSandbox({ faults: [...faults], ...(token === undefined ? {} : { token }) });
  const home = makeStateHome();
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const state = join(home, "rec-push");
  return {
    sandbox,
    home,
    push: (
      argv: readonly string[],
      more: { stdin?: string; env?: Record<string, string>; now?: Date } = {},
    ) => pushTo(sandbox, argv, { ...more, env: { ...env, ...more.env } }),
    /** A command exactly as users write it. */
    command: (argv: readonly string[], more: Record<string, string> = {}) =>
      runMain(argv, { env: { ...env, ...more }, others: "nothing" }),
    /** Names of the runs that are kept. */
    runs: () => allRunsIn(state),
    /** The directory of a run. */
    directoryOf: (run: string) => join(runsIn(state), run),
    numbers: () => heldBy(sandbox).map((fiche) => fiche["num_commande"]),
  };
}
