import { basename } from "node:path";
import { RecPushError } from "../model/failure.ts";

/** The error for a part of the ledger that is lost or damaged, so that it is not known what was created. */
export function ledgerDamaged(path: string, what: string): RecPushError {
  return new RecPushError(
    "machine",
    "ledger-damaged",
    `the ledger of what was created is damaged: ${path} ${what}; nothing was sent, because records could be created twice`,
    {
      hint: [
        "restore the state directory from a backup, then run the same command again",
        "or take that part out, and say which of its records are in the service:",
        `  rec-push runs --forget ${basename(path)}`,
        "  rec-push ledger add FILE --table NAME",
      ].join("\n"),
    },
  );
}
