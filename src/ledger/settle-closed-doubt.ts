import type { StateDirectory } from "../state/state-directory.ts";
import { findInLedgers } from "./ledger-directory.ts";
import { LedgerFile, writeLedgerFile } from "./ledger-file.ts";
import { askLedger } from "./ledger-changes.ts";

/**
 * The part of a ledger with the creates of a closed run that left some in doubt, perhaps decided since; `undefined` if
 * there is none.
 */
export async function findClosedDoubt(state: StateDirectory, run: string): Promise<LedgerFile | undefined> {
  const [path] = await findInLedgers(state, run);
  const file = path === undefined ? undefined : await LedgerFile.open(path);
  return file?.facts.doubt === undefined ? undefined : file;
}

/**
 * The user's word on the creates that a closed run left in doubt: they are in the service, or they are not there. The
 * caller must hold the table's lock.
 */
export async function settleClosedDoubt(
  state: StateDirectory,
  file: LedgerFile,
  answer: "applied" | "absent",
): Promise<void> {
  const { version: _, ...facts } = file.facts;
  const certain = facts.certain + (answer === "applied" ? facts.doubtful : 0);
  if (answer === "absent") await askLedger(state, facts);
  await writeLedgerFile(file.path, { ...facts, certain, doubtful: 0 }, (put) =>
    file.scan((bytes, at, isDoubtful) => {
      if (answer === "applied" || !isDoubtful) put(bytes, at);
    }),
  );
}
