import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { heldBy } from "./push-to-sandbox.ts";
import { makeStateHome, runMain } from "./run-main.ts";
import { startProcess } from "./run-process.ts";
import { runsIn } from "./table-parts.ts";

/** Records without key, each with a number of its own. */
function createsOf(numbers: readonly number[]): string {
  return ["num_commande", ...numbers, ""].join("\n");
}

function range(from: number, rows: number): number[] {
  return Array.from({ length: rows }, (_, at) => from + at);
}

/** What was pushed to the table before the run that was killed: nothing, other rows, or twenty of its rows. */
export type Earlier = "nothing" | "other rows" | "rows of it";

/** How many of the twelve new rows the service holds when the process is killed; the answer to one more is lost. */
type There = 0 | 8;

export type KilledWorld = Awaited<ReturnType<typeof killAmidCreates>>;

/** Worlds of a test file: each is built once, and removed when the file ends. */
export function keepKilledWorlds(): (earlier: Earlier, there: There) => Promise<KilledWorld> {
  const worlds = new Map<string, Promise<KilledWorld>>();
  afterAll(async () => {
    for (const world of worlds.values()) await (await world).remove();
  });
  return (earlier, there) => {
    const name = `${earlier} ${there}`;
    const world = worlds.get(name) ?? killAmidCreates(earlier, there);
    worlds.set(name, world);
    return world;
  };
}

/**
 * A run of twelve new creates whose process was killed, in states that can be copied: each command works on a copy of
 * its own, and what the service got is counted for that copy.
 */
async function killAmidCreates(earlier: Earlier, there: There) {
  const sandbox = await startSandbox();
  const directory = await mkdtemp(join(tmpdir(), "rec-push-killed-"));
  const [before, killed] = [join(directory, "before"), join(directory, "killed")];
  const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const run = (home: string, argv: readonly string[]) =>
    runMain(argv, { env: { ...env, XDG_STATE_HOME: home }, others: "nothing" });
  const old = earlier === "rows of it" ? range(1, 20) : [];
  const rows = [...old, ...range(1001, 12)];
  const file = async (name: string, numbers: readonly number[]): Promise<string> => {
    await writeFile(join(directory, name), createsOf(numbers));
    return join(directory, name);
  };
  const first = await file("first.csv", range(1, 20));
  const files = {
    same: await file("orders.csv", rows),
    grown: await file("grown.csv", [...rows, 1013, 1014, 1015]),
    // The third of the new rows was wrong.
    mended: await file(
      "mended.csv",
      rows.map((row) => (row === 1003 ? 2003 : row)),
    ),
  };
  if (earlier !== "nothing") await run(before, [first, "-t", "commandes"]);
  await mkdir(before, { recursive: true });
  await cp(before, killed, { recursive: true });
  const earlierRuns = await readdir(runsIn(join(before, "rec-push"))).catch(() => [] as string[]);
  sandbox.setFaults([`hang,kind=create,skip=${there}`]);
  const pace = ["--batch-size", "1", "--concurrency", "1"];
  const argv = [files.same, "-v", "-t", "commandes", ...pace];
  const child = startProcess(argv, { ...env, XDG_STATE_HOME: killed }, undefined, "nothing");
  let isEnded = false;
  void child.ended.then(() => (isEnded = true));
  while (!isEnded && sandbox.requests().statuses["hang"] === undefined)
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.child.kill("SIGKILL");
  await child.ended;
  sandbox.setFaults([]);
  const held = numbersOf();
  function numbersOf(): readonly string[] {
    return heldBy(sandbox).map(({ num_commande: number }) => String(number));
  }
  const updates = join(directory, "updates.csv");
  await writeFile(updates, "cle;num_commande\nF000001;1\n");
  return {
    first,
    updates,
    files,
    /** The new rows that the service held then, and a file of them. */
    there: held.filter((number) => Number(number) > 1000),
    thereFile: await file("there.csv", range(1001, there)),
    async remove() {
      await sandbox.close();
      await rm(directory, { recursive: true, force: true });
    },
    /** Another copy of the state, and what the service holds for its commands. */
    async copy() {
      const home = makeStateHome();
      await cp(killed, home, { recursive: true });
      const from = numbersOf().length;
      const state = join(home, "rec-push");
      return {
        state,
        before: join(before, "rec-push"),
        // Two runs may begin within one second: their names do not say which is the later one.
        run: (await readdir(runsIn(state))).find((name) => !earlierRuns.includes(name)) ?? "",
        command: (argv: readonly string[]) => run(home, argv),
        held: () => [...held, ...numbersOf().slice(from)],
      };
    },
  };
}
