import { basename, dirname } from "node:path";
import { RecPushError } from "../model/failure.ts";

/** The error for a line of a journal that is not as it was written; `how` goes on after "this line". */
export function journalDamaged(path: string, line: number, how: string): RecPushError {
  const run = basename(dirname(path));
  return new RecPushError(
    "machine",
    "journal-damaged",
    `${path}:${line}: this line of the journal ${how}. Which records the run ${run} has sent is no longer certain, and a record without key that is sent again is there twice`,
    {
      hint: [
        "restore the file from a backup, then run the same command again",
        `or look in the service which records without key are there, and give the run up: rec-push runs --abandon ${run}`,
        "  then the same command sends the updates only; push the missing records without key in a file of their own",
      ].join("\n"),
      place: { file: path, line },
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
