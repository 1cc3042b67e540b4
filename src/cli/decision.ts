import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { doubtWrittenTo, findNamedDoubt, readDoubtFile } from "../files/doubt-files.ts";
import { hashOf } from "../files/kept-place.ts";
import { showInteger } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { InDoubt } from "../options/runs.ts";
import type { OptionValues } from "../options/table.ts";
import type { DoubtDecision, KeptRun } from "../store/summarise-run.ts";
import { chooseLetter } from "./ask/dialogue.ts";
import type { Io } from "./run-settings.ts";

/** The run that a decision names by its file; `undefined` if it names none. */
export async function runOfDecision(inDoubt: InDoubt | undefined, cwd: string): Promise<string | undefined> {
  return inDoubt?.kind === "file" ? (await findNamedDoubt(resolve(cwd, inDoubt.path)))?.run : undefined;
}

/**
 * The decision that a command line gives on what a run has in doubt. Throws a usage error if its file cannot decide on the
 * present doubt; the file of an earlier doubt is not read further, because it decides nothing.
 */
export async function readDecision(inDoubt: InDoubt, kept: KeptRun, cwd: string): Promise<DoubtDecision> {
  const { run, end, stored } = kept;
  const { decided, shown } = end.kept;
  if (inDoubt.kind === "answer") return { doubt: inDoubt.doubt, inDoubt: inDoubt.answer };
  const path = resolve(cwd, inDoubt.path);
  if ((await stat(path).catch(() => undefined))?.isFile() !== true) {
    // A file that has decided is removed once its rows are sent.
    const doubt = doubtWrittenTo(kept, path);
    if (doubt !== undefined && decided[doubt] !== undefined) return { doubt, inDoubt: "resend" };
    throw refused(`there is no file ${path}`, `rec-push runs ${run} shows the state of the run`);
  }
  const named = await findNamedDoubt(path);
  if (named !== undefined && named.run !== run)
    throw refused(
      `${path} was written for the run ${named.run}, not for ${run}`,
      `rec-push resume ${named.run} --in-doubt ${inDoubt.path}`,
    );
  if (named !== undefined && named.doubt !== shown.doubt) return { doubt: named.doubt, inDoubt: "resend" };
  const sha256 = await hashOf(path);
  const { doubt, left } = await readDoubtFile(path, stored?.facts.plan ?? {});
  const records = shown.counts.inDoubt;
  if (left.size >= records)
    throw refused(
      `nothing was deleted from ${path}: it holds ${records === 1 ? "the one row" : `all ${showInteger(records)} rows`} in doubt`,
      `delete the rows that are in the service\nor, if none of them is there: rec-push resume ${run} --in-doubt ${doubt}=resend`,
    );
  return { doubt, inDoubt: "resend", file: { path, sha256, left } };
}

function refused(what: string, hint: string): RecPushError {
  return new RecPushError("other-doubt", `${what}; nothing is decided, and nothing was sent`, { hint });
}

/**
 * What a decision by a file comes to, as notices: `19 count as there, 20 are sent`. `undefined` if somebody is at a terminal
 * and does not say yes to it.
 */
export async function confirmDecision(
  { file }: DoubtDecision,
  { end }: Pick<KeptRun, "end">,
  { json = false, quiet = false }: OptionValues,
  { openAsker, stderr }: Io,
): Promise<string[] | undefined> {
  if (file === undefined) return [];
  const there = end.kept.shown.counts.inDoubt - file.left.size;
  const text = `${showInteger(there)} ${there === 1 ? "counts" : "count"} as there, ${showInteger(file.left.size)} ${file.left.size === 1 ? "is" : "are"} sent`;
  if (openAsker === undefined || json || quiet) return [text];
  if ((await chooseLetter(await openAsker(), `${text}. Go on?`, ["y", "n"])) === "y") return [text];
  stderr.write("nothing is decided, and nothing was sent\n");
  return undefined;
}
