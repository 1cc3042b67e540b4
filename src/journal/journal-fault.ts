import { basename, dirname } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { ForeignError } from "../state/own-file.ts";

/**
 * The error for a line of a journal that is not as it was written; `how` continues the sentence after "this line of
 * the journal".
 */
export function journalDamaged(path: string, line: number, how: string): RecPushError {
  return damaged(path, `${path}:${line}: this line of the journal ${how}`, { line });
}

/** The error for a journal that cannot be read at all: something else has its place, or another user could have written it. */
export function journalReplaced(path: string, cause: unknown): RecPushError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const mend =
    cause instanceof ForeignError
      ? "if nobody else has changed it, make it yours alone (chown, chmod go-w), then run the same command again\nor "
      : "";
  return damaged(path, `the journal ${path} cannot be read: ${why}`, { mend });
}

function damaged(
  path: string,
  what: string,
  { line, mend = "" }: { readonly line?: number; readonly mend?: string } = {},
): RecPushError {
  const run = basename(dirname(path));
  return new RecPushError(
    "machine",
    "journal-damaged",
    `${what}. It is no longer certain which records the run ${run} has sent, and a record without key that is sent again is created twice`,
    {
      hint: `${mend}${waysToSettle("the file", run)}`,
      place: { file: path, ...(line === undefined ? {} : { line }) },
    },
  );
}

/** What leads on if it is not known what a run created: `what` is lost or damaged. */
export function waysToSettle(what: string, run: string): string {
  return [`restore ${what} from a backup, then run the same command again`, `or ${waysToSay([run])}`].join(
    "\n",
  );
}

/** How a person says what runs created of which that is not known. */
export function waysToSay(runs: readonly string[]): string {
  return [
    "check in the service which records without key of that run are there, say so, then run the same command again:",
    "  rec-push ledger add FILE --table NAME   FILE holds those that are there, and no others",
    ...runs.map((run) => `  rec-push runs --forget ${run}   none is there`),
  ].join("\n");
}

/** The error for a journal in a format of later versions. */
export function journalNewer(path: string): RecPushError {
  const run = basename(dirname(path));
  return new RecPushError(
    "usage",
    "newer-journal",
    `the run ${run} was pushed by a newer rec-push, whose journal this version does not read`,
    { hint: "use that version or a newer one" },
  );
}
