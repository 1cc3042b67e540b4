import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { notePushed, readPushed } from "../journal/content-index.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { PRINT_BYTES } from "./comparison-form.ts";
import { knownFiles, ledgerDirectory, strikeFile, targetsOf, type AskedTarget } from "./ledger-directory.ts";
import { LedgerFile, writeLedgerFile, type LedgerFacts, type TakePrint } from "./ledger-file.ts";
import { forgetCreated } from "./created-index.ts";
import { PrintTable } from "./print-table.ts";

/** Creates that are to be taken out of a ledger. */
export interface RemovedCreates {
  readonly count: number;
  readonly scan: (take: TakePrint) => Promise<void>;
}

/**
 * Takes creates out of the files of a ledger: of the latest file first, each as often as it is given, by its whole record or,
 * where both have it, its identity. Gives how many were there. The content of their runs is judged by the ledger since.
 */
export async function removeCreates(
  state: StateDirectory,
  target: AskedTarget,
  removed: RemovedCreates,
  identity: readonly string[] | undefined,
): Promise<number> {
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
  for (const file of files) {
    const isIdentified = isOf(file);
    const isCreate = file.facts.kind === "created" || file.facts.kind === "added";
    const takes = (bytes: Buffer, at: number): boolean => {
      // Notes on a create go with it, however many there are.
      if (isIdentified) return identified!.find(bytes, at + PRINT_BYTES) >= 0;
      const slot = whole.find(bytes, at);
      return slot >= 0 && (!isCreate || whole.left(slot) > 0);
    };
    const takenOut = await rewrite(state, file, takes, (bytes, at) => {
      if (isCreate) whole.take(bytes, at);
    });
    if (isCreate) found += takenOut;
    if (takenOut > 0) await askLedger(state, file.facts);
  }
  return found;
}

/** Takes the file of a run out of the ledger, and what others know of its creates. */
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

/** `learnt` are the whole records of creates that have got one of the identities since, perhaps with other values. */
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

/** Writes a file of the ledger without some of its prints, or removes it if none is left; gives how many were taken out. */
async function rewrite(
  state: StateDirectory,
  file: LedgerFile,
  takes: (bytes: Buffer, at: number) => boolean,
  onTaken: (bytes: Buffer, at: number) => void,
): Promise<number> {
  let { certain, doubtful } = file.facts;
  const isTaken = new Uint8Array(certain + doubtful);
  let number = 0;
  await file.scan((bytes, at, isDoubtful) => {
    if (takes(bytes, at)) {
      onTaken(bytes, at);
      isTaken[number] = 1;
      if (isDoubtful) doubtful -= 1;
      else certain -= 1;
    }
    number += 1;
  });
  const taken = number - certain - doubtful;
  if (taken === 0) return 0;
  if (certain + doubtful === 0 && file.facts.kind !== "added") {
    await strikeFile(dirname(file.path), file.name);
    await forgetCreated(state, file.name);
    await rm(file.path, { force: true });
    return taken;
  }
  const { version: _, ...facts } = file.facts;
  number = 0;
  await writeLedgerFile(file.path, { ...facts, certain, doubtful }, (put) =>
    file.scan((bytes, at) => {
      if (isTaken[number++] === 0) put(bytes, at);
    }),
  );
  return taken;
}

/** The rule on equal content must not leave out what the user took out of the ledger. */
export async function askLedger(
  state: StateDirectory,
  { run, target, content, dbVersion }: Omit<LedgerFacts, "version">,
): Promise<void> {
  if (content === undefined) return;
  const identity = { ...target, content, dbVersion };
  const pushed = (await readPushed(state.contents, identity)).find((word) => word.run === run);
  if (pushed !== undefined) await notePushed(state.contents, identity, { ...pushed, asksLedger: true });
}
