import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { PushedContent } from "./content-index.ts";
import type { StateDirectory } from "../state/state-directory.ts";

/** The error for a run that is known to have begun and whose journal is gone: nobody can tell what it sent. */
export function lostRun(state: StateDirectory, { run, file, startedAt }: PushedContent): RecPushError {
  const day = startedAt.slice(0, 16).replace("T", " ");
  return new RecPushError(
    "machine",
    "run-lost",
    `the journal of the run ${run}, which pushed this content (${file}) on ${day} UTC, is lost from ${join(state.runs, run)}: which of its records were created is not known, and nothing was sent`,
    {
      hint: [
        "restore that directory from a backup, then run the same command again",
        "or look in the service which of the records without key are there:",
        `  all of them: rec-push runs --abandon ${run}, then the same command, which sends the updates only`,
        "  none of them: the same command with --again",
        `  some of them: rec-push runs --abandon ${run}, then push a file that holds the missing ones only`,
      ].join("\n"),
    },
  );
}
