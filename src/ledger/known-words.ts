import { basename, join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { showShare } from "../model/quantities.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import type { KnownCounts } from "../state/table-lock.ts";
import { countNotes, ledgerDirectory, type LedgerTarget } from "./ledger-directory.ts";

/**
 * Throws a machine error if the ledger of a target holds fewer notes than an earlier holder of the table's lock has
 * seen: then the ledger was lost, emptied or restored from an older copy.
 */
export async function refuseOlderLedger(
  state: StateDirectory,
  target: LedgerTarget,
  known: KnownCounts,
): Promise<void> {
  const directory = ledgerDirectory(state, target);
  const notes = await countNotes(directory);
  const missing = (known.get(basename(directory)) ?? 0) - notes;
  if (missing <= 0) return;
  throw new RecPushError(
    "machine",
    "ledger-damaged",
    `the ledger of what was created in this table is lost, or older than the rest of the state directory: in ${directory} ${showShare(missing, missing + notes, "note")} ${missing === 1 ? "is" : "are"} missing; nothing was sent, because records could be created twice`,
    {
      hint: [
        "restore the newest copy of the whole state directory, then run the same command again",
        "or name a file that holds the records without key that the service has; then the same command compares with these:",
        "  rec-push ledger add FILE --table NAME",
      ].join("\n"),
    },
  );
}

/**
 * Adds to the ledger of a target, and records with the table's lock how much it holds afterwards; notes that were
 * missing before still count as missing.
 */
export async function rememberAdded(
  state: StateDirectory,
  target: LedgerTarget,
  known: KnownCounts,
  add: () => Promise<void>,
): Promise<void> {
  const directory = ledgerDirectory(state, target);
  const before = await countNotes(directory);
  await add();
  const added = (await countNotes(directory)) - before;
  const name = basename(directory);
  known.set(name, Math.max(known.get(name) ?? 0, before) + added);
}

/** Records how much the ledger of a target holds now: the user says that it is as it should be. */
export async function rememberLedger(
  state: StateDirectory,
  target: LedgerTarget,
  known: KnownCounts,
): Promise<void> {
  const directory = ledgerDirectory(state, target);
  known.set(basename(directory), await countNotes(directory));
}

/** Accepts the present number of notes in the ledgers that a table's lock knows of. */
export async function rememberPresent({ ledger }: StateDirectory, known: KnownCounts): Promise<void> {
  for (const [name, count] of known) known.set(name, Math.min(count, await countNotes(join(ledger, name))));
}
