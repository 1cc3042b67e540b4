import { join } from "node:path";
import type { StateDirectory } from "../state/state-directory.ts";
import { learnsIdentity, TOLD } from "./create-bits.ts";
import { whyLeftOut } from "./exports-rule.ts";
import { ledgerDirectory, type LedgerTarget } from "./ledger-directory.ts";
import { writeLedgerFile, type Origin } from "./ledger-file.ts";
import type { PrintSpool } from "./print-spool.ts";

/**
 * Notes what a push with an identity has learnt: which earlier creates have which identity, and which records differ
 * from the one created, so that each of these is reported only once.
 */
export async function noteKnown(
  state: StateDirectory,
  target: LedgerTarget,
  origin: Omit<Origin, "kind" | "leavesRows">,
  spool: PrintSpool,
  states: Uint8Array,
): Promise<void> {
  if (origin.identity === undefined) return;
  const directory = ledgerDirectory(state, target);
  const isChanged = (state: number): boolean => whyLeftOut(state) === "changed" && (state & TOLD) === 0;
  for (const [kind, isOf] of [
    ["known", learnsIdentity],
    ["changed", isChanged],
  ] as const) {
    const certain = states.reduce((sum, state) => sum + (isOf(state) ? 1 : 0), 0);
    if (certain === 0) continue;
    const facts = { ...origin, kind, leavesRows: false, certain, doubtful: 0 };
    await writeLedgerFile(join(directory, `${origin.run}-${kind}`), facts, (put) =>
      spool.scan((bytes, at, number) => {
        if (isOf(states[number]!)) put(bytes, at);
      }),
    );
  }
}
