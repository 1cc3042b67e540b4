import { removeDoubtFiles } from "../files/doubt-files.ts";
import { findRowsToMend, hasWrittenFiles, isSettledSince } from "../files/rows-to-mend.ts";
import { showCount } from "../model/counts.ts";
import { exitCode, type RunEnd } from "../model/exit-code.ts";
import type { RecPushError } from "../model/failure.ts";
import { closeFinished, findRun } from "../store/close-finished.ts";
import {
  type DoubtDecision,
  type KeptRun,
  type StoredRun,
  whyNothingIsDecided,
} from "../store/summarise-run.ts";
import { OpenRun } from "../store/open-run.ts";
import type { RunKeeping } from "./push-request.ts";
import { Tally, tallyRun } from "./tally-run.ts";

/** A run that cannot go on, because it is closed or its input is not as it was. */
interface HaltedRun {
  readonly run: string;
  /** What has become of its input; `undefined` for a closed run. */
  readonly inputNow: "changed" | "gone" | undefined;
  /** The user's decision that its records in doubt are in the service, or are not. */
  readonly decision: DoubtDecision | undefined;
  /** Why its rows cannot be sent, if it has some that are left. */
  readonly whyNotSent: ((stored: StoredRun) => RecPushError) | undefined;
}

/** Notes the user's decision on a run without reading its input, and returns the state of the run after it. */
export async function settleHalted(
  keeping: Pick<RunKeeping, "state" | "lock">,
  { run: name, inputNow, decision, whyNotSent }: HaltedRun,
  tell: (text: string) => void,
): Promise<RunEnd> {
  // Read with the lock held, because another process may have continued it in the meantime.
  const kept = await findRun(keeping.state, name);
  const { stored } = kept;
  const { rejected = 0, refused = 0 } = stored?.account.counts ?? {};
  if (stored !== undefined && rejected + refused > 0 && !hasWrittenFiles(stored.account))
    tell(
      `no file was written for ${showCount(rejected + refused, "row")} to mend of ${stored.facts.file}: the process that was to write it was killed`,
    );
  if (decision !== undefined && kept.end.kept.shown.doubt !== decision.doubt)
    tell(whyNothingIsDecided(name, kept.end.kept, decision));
  else if (decision !== undefined && stored !== undefined) await decide(keeping, stored, decision);
  await closeFinished(keeping, name);
  const now = await findRun(keeping.state, name);
  const tally = tallyOf(now);
  tally.runs.push(name);
  const { stored: open } = now;
  if (open !== undefined)
    tally.noteDoubt({ run: name, file: open.facts.file, inputNow }, open.account, tally.counts);
  const isLeft = open !== undefined && tally.counts.notSent + tally.counts.failed > 0;
  const end = tally.end([], isLeft ? whyNotSent?.(open) : undefined);
  const toMend = await findRowsToMend(now);
  if (toMend?.isThere === true) return { ...end, rejectsFiles: [{ file: now.begun.file, ...toMend }] };
  if (!isSettledSince(now)) return end;
  tell("what it left to mend was mended and pushed since, or a later push of the file has sent it");
  return { ...end, hasBegun: false };
}

async function decide(
  keeping: Pick<RunKeeping, "state" | "lock">,
  stored: StoredRun,
  decision: DoubtDecision,
): Promise<void> {
  const { account } = stored;
  const run = await OpenRun.resume(keeping, stored);
  try {
    await run.decide(decision);
    await removeDoubtFiles(stored, account.doubt);
    await run.end(exitCode({ counts: account.counts, failure: undefined, signal: undefined }));
  } finally {
    await run.close();
  }
}

function tallyOf({ stored, end }: KeptRun): Tally {
  if (stored !== undefined) return tallyRun(stored.account);
  const tally = new Tally();
  tally.recall(end.kept.shown, end.kept.batches);
  return tally;
}
