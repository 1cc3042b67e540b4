import { resolve } from "node:path";
import { readKeptResults } from "../../finish/kept-results.ts";
import type { ResultsPlace } from "../../finish/results.ts";
import type { StoredRun } from "../../journal/run-store.ts";
import { settleResultsPlace } from "../results-place.ts";
import { inputOf } from "./resume-request.ts";

/** Where the results of a run go now, and a notice about those that stay as they are. */
interface ResultsOfRun {
  readonly place?: Omit<ResultsPlace, "identity">;
  readonly notice?: string;
}

/**
 * The place of a run's results: the one asked for, else the one where the run has them, unless somebody changed them or
 * another push has put its own there. Throws a usage error if the place asked for is taken.
 */
export async function resultsOfRun(
  stored: StoredRun,
  asked: string | undefined,
  cwd: string,
): Promise<ResultsOfRun> {
  const kept = await readKeptResults(stored.directory);
  if (asked === undefined && kept?.state === "foreign")
    return {
      notice: `the results in ${kept.path} were changed since, or are those of another push: they stay as they are; --results FILE writes those of this run`,
    };
  const path = asked === undefined ? kept?.path : resolve(cwd, asked);
  if (path === undefined) return {};
  const isWritten = kept?.state === "written";
  const place = await settleResultsPlace(path, [inputOf(stored)], [], isWritten && kept.path === path);
  return { place: { ...place!, previous: isWritten ? kept.path : undefined, runs: kept?.runs } };
}
