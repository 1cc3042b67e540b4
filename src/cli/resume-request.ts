import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { DeclaredField } from "../fields/field-options.ts";
import { doubtWrittenTo, findNamedDoubt, readDoubtFile } from "../files/doubt-files.ts";
import { hashOf } from "../files/kept-place.ts";
import { showInteger } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { doubtSteps, stepsToSend } from "../model/run-steps.ts";
import { mergeTexts } from "../options/derive.ts";
import { readValues } from "../options/read-values.ts";
import type { InDoubt } from "../options/runs.ts";
import type { OptionValues } from "../options/table.ts";
import type { RunRequest } from "../push/check.ts";
import type { ShardPlan } from "../shards/shard-plan.ts";
import type { DoubtDecision } from "../store/doubt-decision.ts";
import type { RunFacts } from "../store/run-facts.ts";
import { INPUT_COPY, keptOf, type KeptRun, type StoredRun, summariseRun } from "../store/summarise-run.ts";
import { columnsIn } from "./config/apply-config.ts";
import { checkNamesOfPairs } from "./keeping.ts";
import { readRunRequest } from "./run-settings.ts";

/** The failure of a run whose rows, or rows in doubt, cannot be sent, because its input is gone or has changed. */
export function inputLost(
  stored: StoredRun,
  inputNow: "changed" | "gone",
  rows: "unsent" | "inDoubt",
): RecPushError {
  const { run, facts, account } = stored;
  const what = inputNow === "gone" ? "is gone" : "has changed since the run began";
  const about = { called: run, doubt: account.doubt ?? "", records: account.count("inDoubt"), inputNow };
  const [which, end, steps] =
    rows === "unsent"
      ? [
          `the rows that the run ${run} has not sent`,
          "nothing was sent",
          stepsToSend({ ...summariseRun(keptOf(stored)), inputNow }),
        ]
      : [
          `the rows in doubt of the run ${run}`,
          "nothing is decided, and nothing was sent",
          ["bring the file back as it was, then run the same command again", ...doubtSteps(about)],
        ];
  return new RecPushError(
    inputNow === "gone" ? "source-gone" : "source-replaced",
    `${facts.file} ${what}, so ${which} cannot be sent; ${end}`,
    { hint: steps.join("\n") },
  );
}

/** How the input of a run is read again: the options of the run, overridden by those of the command. */
export interface ResumeRequest {
  readonly merged: OptionTexts;
  readonly values: OptionValues;
  readonly request: RunRequest;
}

/**
 * The request that reads the files of a plan, at these paths, as they were read for it. With `needsPairs`, throws a usage error
 * if secret values are not given again.
 */
export function planRequest(
  plan: ShardPlan,
  paths: readonly string[],
  texts: OptionTexts,
  needsPairs = true,
): ResumeRequest {
  const nameOf = (path: string): string | undefined => plan.inputs[paths.indexOf(path)]?.file;
  const again = requestAgain({ ...plan, run: plan.plan }, paths, texts, needsPairs, nameOf);
  // These were judged when the plan was made.
  return { ...again, request: { ...again.request, expected: undefined, maxInvalid: undefined } };
}

/** The path of a run's input: the file, or the copy of standard input. */
function inputOf({ facts, directory }: Pick<StoredRun, "facts" | "directory">): string {
  return facts.path ?? join(directory, INPUT_COPY);
}

/**
 * The request that reads the input of a run as it was read before. With `needsPairs`, throws a usage error if secret
 * values are not given again.
 */
export function resumeRequest(
  run: Pick<StoredRun, "facts" | "directory">,
  texts: OptionTexts,
  needsPairs: boolean,
): ResumeRequest {
  const { file } = run.facts;
  return requestAgain(run.facts, [inputOf(run)], texts, needsPairs, () => (file === "-" ? "<stdin>" : file));
}

function requestAgain(
  kept: Pick<RunFacts, "run" | "options" | "declared" | "startedAt" | "headerNames" | "queryNames">,
  paths: readonly string[],
  texts: OptionTexts,
  needsPairs: boolean,
  nameOf: RunRequest["nameOf"],
): ResumeRequest {
  const merged = mergeTexts(kept.options, texts);
  if (needsPairs) checkNamesOfPairs(kept, merged);
  const declared = new Map(Object.entries(kept.declared)) as ReadonlyMap<string, DeclaredField>;
  const values = readValues(merged);
  // Missing columns were reported when the run began.
  const asked = {
    values,
    declared,
    configColumns: new Set(columnsIn(values)),
  };
  // Judged by the day on which it began: on a later day, a year that was open then might count as certain.
  const request = { ...readRunRequest(paths, asked, new Date(kept.startedAt)), isPinned: false, nameOf };
  return { merged, values, request };
}

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

/** `19 count as there, 20 are sent` */
export function countDecided({ account }: StoredRun, left: ReadonlySet<string>): string {
  const there = account.count("inDoubt") - left.size;
  return `${showInteger(there)} ${there === 1 ? "counts" : "count"} as there, ${showInteger(left.size)} ${left.size === 1 ? "is" : "are"} sent`;
}

function refused(what: string, hint: string): RecPushError {
  return new RecPushError("other-doubt", `${what}; nothing is decided, and nothing was sent`, {
    hint,
  });
}
