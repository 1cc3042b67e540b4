import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { findPushed, type PushedContent } from "./content-index.ts";
import { isStillborn } from "./run-store.ts";
import type { StateDirectory } from "../state/state-directory.ts";

/**
 * The error for a run that is known to have begun and whose journal is gone, so that it is not known what it sent.
 */
export function lostRun(state: StateDirectory, { run, file, startedAt }: PushedContent): RecPushError {
  const day = startedAt.slice(0, 16).replace("T", " ");
  return new RecPushError(
    "machine",
    "run-lost",
    `the journal of the run ${run}, which pushed this content (${file}) on ${day} UTC, is lost from ${join(state.runs, run)}: it is not known which of its records were created, and nothing was sent`,
    {
      hint: [
        "restore that directory from a backup, then run the same command again",
        "or check in the service which of the records without key are there:",
        `  all of them: rec-push runs --abandon ${run}, then the same command, which sends the updates only`,
        "  none of them: the same command with --again",
        `  some of them: rec-push runs --abandon ${run}, then push a file that holds the missing ones only`,
      ].join("\n"),
    },
  );
}

/**
 * Throws if a run that is marked as open has lost its journal and may have created records, because the ledger has
 * none of them.
 */
export async function refuseLostRun(state: StateDirectory, run: string): Promise<void> {
  if (await isStillborn(state, run)) return;
  const pushed = (await findPushed(state.contents, run))?.pushed;
  if (pushed !== undefined && (!pushed.hasCreates || pushed.isAbandoned === true)) return;
  const what =
    pushed === undefined ? "" : `, which pushed ${pushed.file} on ${pushed.startedAt.slice(0, 10)},`;
  throw new RecPushError(
    "machine",
    "run-lost",
    `the journal of the run ${run}${what} is lost from ${join(state.runs, run)}: it is not known which records it created in this table, and nothing was sent`,
    {
      hint: [
        "restore that directory from a backup, then run the same command again",
        `or give it up: rec-push runs --abandon ${run}; then check in the service which of its records without key are there,`,
        "  and before the next push name a file that holds these: rec-push ledger add FILE --table NAME",
      ].join("\n"),
    },
  );
}
