import { join } from "node:path";
import { replaceFile } from "./atomic-file.ts";
import { nameTable } from "./open-marks.ts";
import { readOwnFile } from "./own-file.ts";
import type { StateDirectory } from "./state-directory.ts";

/** The open runs of a table as they were last reported under `--quiet`, and on which day (ISO 8601, UTC). */
interface ToldRuns {
  readonly runs: readonly string[];
  readonly day: string;
}

/**
 * True if these open runs of a table were not reported today; from now on they count as reported. A command that runs
 * every hour thus reports the same state once a day. If that cannot be kept, they are printed each time.
 */
export async function areOpenRunsNews(
  { told }: StateDirectory,
  url: string,
  runs: readonly string[],
  now: Date,
): Promise<boolean> {
  const path = join(told, nameTable(url));
  const toldNow: ToldRuns = { runs, day: now.toISOString().slice(0, 10) };
  const text = JSON.stringify(toldNow);
  if ((await readOwnFile(path).catch(() => "")) === text) return false;
  await replaceFile(path, text).catch(() => undefined);
  return true;
}
