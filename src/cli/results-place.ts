import { rm, stat } from "node:fs/promises";
import { type AskedPlace, mayHold } from "../files/kept-place.ts";
import { beginsResults, RESULTS_HEAD_BYTES } from "../files/results.ts";
import type { ResultsPlace } from "../files/results.ts";
import { RecPushError } from "../model/failure.ts";
import { type Refuse, refuseForeign, refuseTaken } from "./own-file.ts";

/**
 * Decides where `--results` go: NDJSON if the file name says so, else CSV. Results of an earlier run are removed, so
 * that nobody mistakes them for those of this run; with `isOwn` they belong to this run, and stay until the new ones
 * are there. Throws a usage error if anything else is there.
 */
export async function settleResultsPlace(
  path: string | undefined,
  files: readonly string[],
  rejects: readonly (AskedPlace | undefined)[],
  isOwn = false,
): Promise<ResultsPlace | undefined> {
  if (path === undefined) return undefined;
  const refuse: Refuse = (why, hint = "name another file") =>
    new RecPushError("usage", "results-place", `the results cannot go to ${path}: ${why}`, { hint });
  if (path === "-") throw refuse("they are a file", "--json tells every batch on standard output");
  if (rejects.some((place) => place !== undefined && mayHold(place, path)))
    throw refuse("the rejects go there");
  await refuseTaken(path, files, refuse);
  if (!isOwn) {
    const there = await stat(path).catch(() => undefined);
    if (there !== undefined && there.size > 0)
      await refuseForeign(path, RESULTS_HEAD_BYTES, beginsResults, "results", refuse);
    await rm(path, { force: true });
  }
  return { path, format: /\.(?:ndjson|jsonl|json)$/i.test(path) ? "ndjson" : "csv" };
}
