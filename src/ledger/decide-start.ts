import { RecPushError } from "../model/failure.ts";
import { bookOf, pushesOf } from "../store/find-books.ts";
import { comparePlans, type PlanTexts, type RunFacts, type RunIdentity } from "../store/run-facts.ts";
import { type DoubtDecision, endOf, isOpen, readRun, type StoredRun } from "../store/summarise-run.ts";
import type { StateDirectory } from "../store/state-directory.ts";

/** An earlier push of the same content to the same target. */
export interface EarlierPush {
  readonly run: string;
  readonly startedAt: string;
  /** The directory of its files, if it left rows to be mended. */
  readonly leftIn?: string | undefined;
}

/**
 * How the push of an input begins: in a new run, which leaves the creates out if `createdBy` created them; in the open
 * run of the same content; or not at all, because the input holds only creates that were created already.
 */
export type Start =
  | { readonly kind: "new"; readonly createdBy: EarlierPush | undefined }
  | {
      readonly kind: "resume";
      readonly stored: StoredRun;
      /** What to do with the records that the run has in doubt. */
      readonly decision?: DoubtDecision | undefined;
    }
  /** `earlier` is missing if an earlier file of the command has the same content: `twin`. */
  | { readonly kind: "leftOut"; readonly earlier: EarlierPush | undefined; readonly twin?: string };

/**
 * If this content was pushed to the target in whole, a new run sends no creates of it unless `again` is set; as long as its
 * run is open, that is continued. If rows of it are still to be mended, the ledger decides. Throws a
 * usage error for an open run that `again` would send twice.
 */
export async function decideStart(
  state: StateDirectory,
  identity: RunIdentity,
  again: boolean,
  hasUpdates: boolean,
): Promise<Start> {
  let earlier: EarlierPush | undefined;
  const book = await bookOf(state, identity);
  for (const pushed of await pushesOf(state, identity)) {
    const { run, startedAt, closed } = pushed;
    let { hasCreates } = pushed;
    let toMend = closed?.toMend;
    if (closed === undefined) {
      const { stored } = await readRun(state, run);
      // If its journal is lost, the ledger stops the creates.
      if (stored === undefined) continue;
      if (isOpen(stored)) {
        if (again && stored.facts.again !== true)
          throw openRunError(
            run,
            "of this content is open; --again would send a second time what that run has already sent",
          );
        return { kind: "resume", stored };
      }
      ({ hasCreates, toMend } = endOf(stored.account));
    }
    if (!hasCreates || ((toMend ?? 0) > 0 && !book.isMended(run))) continue;
    earlier = { run, startedAt };
  }
  if (earlier === undefined || again) return { kind: "new", createdBy: undefined };
  return hasUpdates ? { kind: "new", createdBy: earlier } : { kind: "leftOut", earlier };
}

/** Throws a usage error if the command would make other records of the rows than the run that it continues. */
export function refuseOtherRecords({ run, plan }: Pick<RunFacts, "run" | "plan">, now: PlanTexts): void {
  const differences = comparePlans(plan, now);
  if (differences.length === 0) return;
  throw new RecPushError(
    "other-settings",
    `this content has an open run, ${run}, that reads it differently:\n${differences.map((text) => `  ${text}`).join("\n")}`,
    {
      hint: `finish it with its own settings: rec-push resume ${run}\nor give it up first: rec-push runs abandon ${run}`,
    },
  );
}

/** Throws an input error if the run asked for was begun with other content. */
export function refuseOtherContent(
  { run, identity }: Pick<RunFacts, "run" | "identity">,
  file: string,
  content: string,
): void {
  if (identity.content === content) return;
  throw new RecPushError(
    "other-content",
    `${file} has changed since the run ${run} began; it is no longer known which of its rows were sent`,
    {
      hint: `restore the file as it was then, and run the same command again\nor push the file as it is now, which leaves out what was created, and give the run up: rec-push runs abandon ${run}`,
      place: { file },
    },
  );
}

/** The usage error for what an open run forbids; `what` ends the sentence. */
export function openRunError(run: string, what: string): RecPushError {
  return new RecPushError("open-run", `the run ${run} ${what}`, {
    hint: `finish it first: rec-push resume ${run}\nor give it up: rec-push runs abandon ${run}`,
  });
}
