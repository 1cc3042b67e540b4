import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { hashOf } from "../../finish/claim-path.ts";
import { doubtWrittenTo } from "../../finish/doubt-files.ts";
import { findNamedDoubt, readDoubtFile } from "../../finish/read-doubt-file.ts";
import type { DoubtDecision } from "../../journal/doubt-decision.ts";
import type { StoredRun } from "../../journal/run-store.ts";
import { RecPushError } from "../../model/failure.ts";
import { showInteger } from "../../model/quantities.ts";
import type { InDoubt } from "../../options/parse-in-doubt.ts";

/** The run that a decision names by its file; `undefined` if it names none. */
export async function runOfDecision(inDoubt: InDoubt | undefined, cwd: string): Promise<string | undefined> {
  return inDoubt?.kind === "file" ? (await findNamedDoubt(resolve(cwd, inDoubt.path)))?.run : undefined;
}

/**
 * The decision that a command line gives on what a run has in doubt. Throws a usage error if its file cannot decide on the
 * present doubt; of an earlier one it is not read any further, because nothing is decided.
 */
export async function readDecision(
  inDoubt: InDoubt,
  { run, directory, account, facts }: StoredRun,
  cwd: string,
): Promise<DoubtDecision> {
  if (inDoubt.kind === "answer") return { doubt: inDoubt.doubt, inDoubt: inDoubt.answer };
  const path = resolve(cwd, inDoubt.path);
  if ((await stat(path).catch(() => undefined))?.isFile() !== true) {
    // One that has decided is removed once its rows are sent.
    const doubt = await doubtWrittenTo(directory, path);
    if (doubt !== undefined && account.decided.has(doubt)) return { doubt, inDoubt: "resend" };
    throw refused(`there is no file ${path}`, `rec-push runs ${run} shows the state of the run`);
  }
  const named = await findNamedDoubt(path);
  if (named !== undefined && named.run !== run)
    throw refused(
      `${path} was written for the run ${named.run}, not for ${run}`,
      `rec-push resume ${named.run} --in-doubt ${inDoubt.path}`,
    );
  if (named !== undefined && named.doubt !== account.doubt) return { doubt: named.doubt, inDoubt: "resend" };
  const sha256 = await hashOf(path);
  const { doubt, left } = await readDoubtFile(path, facts.plan);
  const records = account.count("inDoubt");
  if (left.size >= records)
    throw refused(
      `nothing was deleted from ${path}: it holds ${records === 1 ? "the one row" : `all ${showInteger(records)} rows`} in doubt`,
      `delete the rows that are in the service\nor, if none of them is there: rec-push resume ${run} --in-doubt ${doubt}=resend`,
    );
  return { doubt, inDoubt: "resend", file: { path, sha256, left } };
}

/** `19 count as there, 20 are sent` */
export function countDecided({ account }: StoredRun, left: ReadonlySet<string>): string {
  const there = account.count("inDoubt") - left.size;
  return `${showInteger(there)} ${there === 1 ? "counts" : "count"} as there, ${showInteger(left.size)} ${left.size === 1 ? "is" : "are"} sent`;
}

function refused(what: string, hint: string): RecPushError {
  return new RecPushError("usage", "other-doubt", `${what}; nothing is decided, and nothing was sent`, {
    hint,
  });
}
