import { RecPushError } from "../../model/failure.ts";
import { comparePlans, type RecordPlan } from "../journal/record-plan.ts";
import type { RunIdentity } from "../journal/run-facts.ts";
import { readPushed } from "./content-index.ts";
import { hasJournal, loadRun, stateOf, type StoredRun } from "./run-store.ts";
import type { StateDirectory } from "./state-directory.ts";

/** A push of the same content to the same target, of which the service may hold creates. */
export interface EarlierPush {
  readonly run: string;
  readonly startedAt: string;
  readonly exitCode: number;
  readonly isAbandoned: boolean;
}

/** What becomes of an input: pushed in a new run, in the open run of its content, or left out. */
export type Start =
  | { readonly kind: "new" }
  | { readonly kind: "resume"; readonly stored: StoredRun }
  | { readonly kind: "leftOut"; readonly earlier: EarlierPush };

/**
 * The one rule against duplicates: content of which a create was ever accepted, or is in doubt, at a target is not sent
 * there by a new run unless `again` says so; while its run is open, that run goes on.
 */
export async function decideStart(
  state: StateDirectory,
  identity: RunIdentity,
  again: boolean,
): Promise<Start> {
  let earlier: EarlierPush | undefined;
  for (const pushed of await readPushed(state.contents, identity)) {
    const { run, startedAt } = pushed;
    const stored = await loadRun(state, run);
    // It ended before it had begun.
    if (stored === undefined && (await hasJournal(state, run))) continue;
    const runState = stored === undefined ? undefined : stateOf(stored.account);
    if (stored !== undefined && (runState === "unfinished" || runState === "unsettled")) {
      if (again) throw openAlready(run);
      return { kind: "resume", stored };
    }
    if (!(stored?.account.hasCreates ?? pushed.hasCreates)) continue;
    const exitCode = stored?.account.ending?.exitCode ?? pushed.exitCode ?? 0;
    earlier = { run, startedAt, exitCode, isAbandoned: pushed.isAbandoned ?? runState === "abandoned" };
  }
  return earlier === undefined || again ? { kind: "new" } : { kind: "leftOut", earlier };
}

/** Throws usage where the command would make other records of the rows than the run that it goes on with. */
export function refuseOtherRecords(stored: StoredRun, now: RecordPlan): void {
  const differences = comparePlans(stored.facts.plan, now);
  if (differences.length === 0) return;
  throw new RecPushError(
    "usage",
    "other-settings",
    `this content has an open run, ${stored.run}, that reads it otherwise:\n${differences.map((text) => `  ${text}`).join("\n")}`,
    {
      hint: `finish it with its own settings: rec-push resume ${stored.run}\nor give it up first: rec-push runs --abandon ${stored.run}`,
    },
  );
}

/** Throws an input error where a run that is asked for was begun with other content. */
export function refuseOtherContent({ run, facts }: StoredRun, file: string, content: string): void {
  if (facts.identity.content === content) return;
  throw new RecPushError(
    "input",
    "other-content",
    `${file} has changed since the run ${run} began; which of its rows were sent can no longer be told`,
    {
      hint: `bring the file of then back, or give the run up: rec-push runs --abandon ${run}`,
      place: { file },
    },
  );
}

function openAlready(run: string): RecPushError {
  return new RecPushError(
    "usage",
    "open-run",
    `this content has an open run, ${run}; --again would send what that run has sent already a second time`,
    { hint: `finish it: rec-push resume ${run}\nor give it up first: rec-push runs --abandon ${run}` },
  );
}
