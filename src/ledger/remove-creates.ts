import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { notePushed, readPushed } from "../store/run-facts.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { PRINT_BYTES } from "./comparison-form.ts";
import {
  type AskedTarget,
  changeFiles,
  type ChangeWord,
  draftOf,
  findInLedgers,
  knownFiles,
  ledgerDirectory,
  targetsOf,
} from "./ledger-target.ts";
import { type LedgerFacts, LedgerFile, type TakePrint, writeLedgerFile, writePrints } from "./ledger-file.ts";
import { forgetCreated } from "./note-run.ts";
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

/**
 * Creates taken out of the files of a ledger, all at once with `commit`. After a crash before `commit` nothing has
 * changed, so that repeating the command takes out no more than it was told to.
 */
class LedgerChanges {
  readonly #state: StateDirectory;
  readonly #change = randomBytes(6).toString("hex");
  readonly #changed: { readonly file: LedgerFile; readonly isStruck: boolean }[] = [];
  #isCarriedOut = false;

  constructor(state: StateDirectory) {
    this.#state = state;
  }

  /** Takes some prints out of a file, or strikes the file if none is left; returns how many were taken out. */
  async takeOut(
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
    const isStruck = certain + doubtful === 0 && file.facts.kind !== "added";
    this.#changed.push({ file, isStruck });
    if (isStruck) return taken;
    const { version: _, ...facts } = file.facts;
    number = 0;
    await writePrints(this.#draftOf(file), { ...facts, certain, doubtful }, (put) =>
      file.scan((bytes, at) => {
        if (isTaken[number++] === 0) put(bytes, at);
      }),
    );
    return taken;
  }

  /** Carries out all of it; `about` is kept with the change. */
  async commit(about: Pick<ChangeWord, "wanted" | "takenOut">): Promise<string> {
    for (const { file, isStruck } of this.#changed) {
      await askLedger(this.#state, file.facts);
      if (isStruck) await forgetCreated(this.#state, file.name);
    }
    // From here on the drafts belong to the ledger.
    this.#isCarriedOut = true;
    for (const directory of new Set(this.#changed.map(({ file }) => dirname(file.path)))) {
      const here = this.#changed.filter(({ file }) => dirname(file.path) === directory);
      const namesOf = (wanted: boolean): readonly string[] =>
        here.filter(({ isStruck }) => isStruck === wanted).map(({ file }) => file.name);
      await changeFiles(directory, {
        change: this.#change,
        replaced: namesOf(false),
        struck: namesOf(true),
        ...about,
      });
    }
    return this.#change;
  }

  /** Removes the drafts that were not committed. */
  async discard(): Promise<void> {
    if (this.#isCarriedOut) return;
    for (const { file } of this.#changed)
      await rm(this.#draftOf(file), { force: true }).catch(() => undefined);
  }

  #draftOf({ path, name }: LedgerFile): string {
    return draftOf(dirname(path), name, this.#change);
  }
}

/** Makes the rule on equal content ask the ledger, because what the user took out of it must not be left out. */
async function askLedger(
  state: StateDirectory,
  { run, target, content, dbVersion }: Omit<LedgerFacts, "version">,
): Promise<void> {
  if (content === undefined) return;
  const identity = { ...target, content, dbVersion };
  const pushed = (await readPushed(state.contents, identity)).find((word) => word.run === run);
  if (pushed !== undefined) await notePushed(state.contents, identity, { ...pushed, asksLedger: true });
}
