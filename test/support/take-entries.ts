import type { RunAccount } from "../../src/store/count-run.ts";
import type { JournalEntry } from "../../src/store/journal.ts";

const taken = new WeakMap<RunAccount, number>();

/** Passes entries to an account as lines that follow one another. */
export function takeEntries(account: RunAccount, ...entries: readonly JournalEntry[]): void {
  for (const entry of entries) {
    const number = (taken.get(account) ?? 0) + 1;
    taken.set(account, number);
    account.take(entry, { number, sum: number * 7919 });
  }
}
