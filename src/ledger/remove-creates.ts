import type { StateDirectory } from "../state/state-directory.ts";
import { PRINT_BYTES } from "./comparison-form.ts";
import { knownFiles, ledgerDirectory, targetsOf, type AskedTarget } from "./ledger-directory.ts";
import { LedgerChanges } from "./ledger-changes.ts";
import { LedgerFile, type TakePrint } from "./ledger-file.ts";
import { PrintTable } from "./print-table.ts";

/** Creates that are to be taken out of a ledger. */
export interface RemovedCreates {
  readonly count: number;
  readonly scan: (take: TakePrint) => Promise<void>;
}

/**
 * Takes creates out of all files of a ledger at once: from the latest file first, each as often as it is given,
 * compared by its whole record or, where both have one, by its identity. Returns how many were there, and the change.
 * From then on the ledger decides about the content of their runs.
 */
export async function removeCreates(
  state: StateDirectory,
  target: AskedTarget,
  removed: RemovedCreates,
  identity: readonly string[] | undefined,
  wanted?: string,
): Promise<{ readonly found: number; readonly change: string }> {
  const files: LedgerFile[] = [];
  for (const one of targetsOf(target))
    for (const known of await knownFiles(ledgerDirectory(state, one)))
      files.push(await LedgerFile.open(known));
  files.sort((a, b) => (a.facts.startedAt < b.facts.startedAt ? 1 : -1));
  const isOf = ({ facts }: LedgerFile): boolean =>
    identity !== undefined && facts.identity?.join("\n") === identity.join("\n");
  const identified = identity === undefined ? undefined : await wantedAt(removed, PRINT_BYTES);
  const known = files.filter((file) => file.facts.kind === "known" && isOf(file));
  const whole = await wantedAt(removed, 0, async (take) => {
    for (const file of known)
      await file.scan((bytes, at, isDoubtful) => {
        if (identified!.find(bytes, at + PRINT_BYTES) >= 0) take(bytes, at, isDoubtful);
      });
  });
  let found = 0;
  const changes = new LedgerChanges(state);
  try {
    for (const file of files) {
      const isIdentified = isOf(file);
      const isCreate = file.facts.kind === "created" || file.facts.kind === "added";
      const takes = (bytes: Buffer, at: number): boolean => {
        // All notes on a create are removed with it.
        if (isIdentified) return identified!.find(bytes, at + PRINT_BYTES) >= 0;
        const slot = whole.find(bytes, at);
        return slot >= 0 && (!isCreate || whole.left(slot) > 0);
      };
      const takenOut = await changes.takeOut(file, takes, (bytes, at) => {
        if (isCreate) whole.take(bytes, at);
      });
      if (isCreate) found += takenOut;
    }
    const change = await changes.commit({ takenOut: found, ...(wanted === undefined ? {} : { wanted }) });
    return { found, change };
  } finally {
    await changes.discard();
  }
}

/** Takes the file of a run out of the ledger, along with what other files know of its creates. */
export async function forgetFile(state: StateDirectory, file: LedgerFile): Promise<number> {
  const { certain, doubtful, identity, target } = file.facts;
  await removeCreates(
    state,
    target,
    { count: certain + doubtful, scan: (take) => file.scan(take) },
    identity,
  );
  return certain + doubtful;
}

interface Wanted {
  find(bytes: Buffer, at: number): number;
  left(slot: number): number;
  take(bytes: Buffer, at: number): void;
}

/** `learnt` are the whole records of creates that got one of the identities later, perhaps with other values. */
async function wantedAt(
  { count, scan }: RemovedCreates,
  offset: number,
  learnt: RemovedCreates["scan"] = async () => undefined,
): Promise<Wanted> {
  let others = 0;
  await learnt(() => {
    others += 1;
  });
  const table = new PrintTable(count + others);
  const left = new Uint32Array(table.most);
  await scan((bytes, at) => {
    left[table.add(bytes, at + offset)]! += 1;
  });
  await learnt((bytes, at) => {
    const slot = table.add(bytes, at);
    left[slot] = Math.max(left[slot]!, 1);
  });
  return {
    find: (bytes, at) => table.find(bytes, at),
    left: (slot) => left[slot]!,
    take(bytes, at) {
      const slot = table.find(bytes, at);
      if (slot >= 0 && left[slot]! > 0) left[slot]! -= 1;
    },
  };
}
