import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { notePushed, readPushed } from "../journal/content-index.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { forgetCreated } from "./created-index.ts";
import { changeFiles, draftOf, type ChangeWord } from "./ledger-directory.ts";
import { writePrints, type LedgerFacts, type LedgerFile } from "./ledger-file.ts";

/**
 * Creates taken out of the files of a ledger, all at once with `commit`. After a crash before `commit` nothing has
 * changed, so that repeating the command takes out no more than it was told to.
 */
export class LedgerChanges {
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
export async function askLedger(
  state: StateDirectory,
  { run, target, content, dbVersion }: Omit<LedgerFacts, "version">,
): Promise<void> {
  if (content === undefined) return;
  const identity = { ...target, content, dbVersion };
  const pushed = (await readPushed(state.contents, identity)).find((word) => word.run === run);
  if (pushed !== undefined) await notePushed(state.contents, identity, { ...pushed, asksLedger: true });
}
