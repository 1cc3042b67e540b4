import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeExport } from "./export-file.ts";
import type { Life, NightFile } from "./life.ts";
import type { Row } from "./shop.ts";

/** The day after a night: people delete records in the service, resume or give up runs, prune. Returns the deleted rows. */
export async function spendDay(
  life: Life,
  files: readonly NightFile[],
  isDone: boolean,
): Promise<readonly Row[]> {
  const { draw } = life;
  const deleted = isDone && draw.percent(6) ? await deleteThere(life, files) : [];
  if (!life.isCalm && draw.percent(10)) await turnToRuns(life);
  if (draw.percent(12)) {
    const { code, stderr } = await life.sideCommand(["runs", "prune"]);
    if (code !== 0) life.find("stuck", `runs prune ended with ${code}: ${stderr.slice(-400)}`);
  }
  return deleted;
}

/** Somebody deletes records in the service and takes them out of the ledger, so that they are created again. */
async function deleteThere(life: Life, files: readonly NightFile[]): Promise<readonly Row[]> {
  const { draw, service, truth } = life;
  const file = draw.oneOf(files);
  const whole = file.rows.filter(
    (row) => truth.isClaimed(row) && truth.isAlone(row) && !row.order.isCorrected,
  );
  const gone = new Set(
    whole.length === 0 ? [] : Array.from({ length: draw.between(1, 3) }, () => draw.oneOf(whole)),
  );
  if (gone.size === 0) return [];
  const name = `deleted-${life.day}.${file.style.format}`;
  const cells = [...gone].map((row) => row.cells);
  const { bytes, options } = writeExport(cells, life.hasNumbers, file.style);
  await writeFile(join(life.directory, name), bytes);
  const remove = () => life.sideCommand(["ledger", "remove", name, ...life.words({ options })]);
  let { code, stderr } = await remove();
  for (let tries = 0; tries < 3; tries++) {
    const open = runInTheWay(stderr);
    if (code !== 2 || open === undefined) break;
    const resumed = await life.command(["resume", open, "--json"]);
    if (resumed.code !== 0) await life.command(["runs", "abandon", open]);
    ({ code, stderr } = await remove());
  }
  // One that was killed before it could say so may have taken out all.
  const isDone =
    stderr.includes(`${gone.size} of ${gone.size} create`) || stderr.includes("it does not hold");
  if (code !== 0 || !isDone) {
    life.find("stuck", `ledger remove ended with ${code}: ${stderr.slice(-400)}`);
    return [];
  }
  for (const row of gone) {
    const at = service.held.findIndex((held) => truth.keyOf(held) === truth.keyOf(row.cells));
    service.held.splice(at, 1);
    truth.unclaim(row);
  }
  return [...gone];
}

/** The run that a change of the ledger asks to finish first. */
function runInTheWay(stderr: string): string | undefined {
  return /or give it up: rec-push runs abandon (\S+)/.exec(stderr)?.[1];
}

/** The states of runs that may go on, and of what cannot be read. */
const OPEN: ReadonlySet<string> = new Set(["unfinished", "unsettled", "damaged"]);

/** Somebody resumes or gives up runs that are still open. */
async function turnToRuns(life: Life): Promise<void> {
  life.service.calm();
  const { events } = await life.command(["runs", "--json"]);
  for (const event of events) {
    if (event["event"] !== "run" || !OPEN.has(String(event["state"]))) continue;
    const run = String(event["run"]);
    const isGivenUp = life.draw.percent(30);
    const end = await life.command(isGivenUp ? ["runs", "abandon", run] : ["resume", run, "--json"]);
    // Its file may have been overwritten since, or a later run may have touched its keys.
    if (![0, 2, 3, 4, 8].includes(end.code ?? -1))
      life.find(
        "stuck",
        `${isGivenUp ? "abandon" : "resume"} ended with ${end.code}: ${end.stderr.slice(-400)}`,
      );
  }
  life.truth.judge([]);
}
