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
      hint: [
        `${mend}restore the file from a backup, then run the same command again`,
        `or check in the service which records without key are there, and give the run up: rec-push runs --abandon ${run}`,
        "  then the same command sends the updates only; push the missing records without key in a file of their own",
      ].join("\n"),
      place: { file: path, ...(line === undefined ? {} : { line }) },
    },
  );
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
