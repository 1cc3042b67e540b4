import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Settled } from "../model/counts.ts";
import type { Doubt } from "../model/exit-code.ts";
import type { RecPushError } from "../model/failure.ts";
import type { Batch, RecordKind, RecordList } from "../model/settlement.ts";
import type { BookRun } from "./book-entries.ts";
import { bookOf } from "./find-books.ts";
import { closeRun, type RunPlace } from "./close-finished.ts";
import { RunAccount } from "./count-run.ts";
import { type DoubtDecision, isOpen, stateOf, type StoredRun, whyNothingIsDecided } from "./summarise-run.ts";
import type { TableLock } from "./held-lock.ts";
import {
  type JournalEntry,
  JournalWriter,
  type LeftRecords,
  type OutcomeEntry,
  type Stretch,
} from "./journal.ts";
import type { LineName } from "./log.ts";
import { ordinalsOf, rangesOf } from "./number-ranges.ts";
import { ownIdentity } from "./process-identity.ts";
import type { RunFacts } from "./run-facts.ts";
import { orCannotUse, placeOfRun } from "./state-directory.ts";
import { keysOf } from "./later-keys.ts";

/** A run while this process pushes it: every entry is in its journal before it counts. */
export class OpenRun {
  readonly directory: string;
  readonly account: RunAccount;
  /** Updates of this and of earlier commands on the table that may still land. */
  readonly givenUp: TableLock["givenUp"];
  readonly #place: RunPlace;
  readonly #journal: JournalWriter;

  private constructor(place: RunPlace, directory: string, account: RunAccount, journal: JournalWriter) {
    this.#place = place;
    this.givenUp = place.lock.givenUp;
    this.directory = directory;
    this.account = account;
    this.#journal = journal;
  }

  /**
   * Begins a run: the names of its journal and its input are on disk before the book knows it, and it sends nothing before
   * that. The first lines of the journal get to disk with the first entry on which something relies. `furnish` puts files that
   * the run needs into its directory, before the run is known.
   */
  static async begin(
    place: RunPlace,
    facts: RunFacts,
    furnish?: (directory: string) => Promise<void>,
  ): Promise<OpenRun> {
    const { state, lock } = place;
    const book = await bookOf(state, lock.table);
    const directory = placeOfRun(book.directory, facts.run);
    await orCannotUse(directory, () => mkdir(directory, { mode: 0o700 }));
    await furnish?.(directory);
    const journal = await JournalWriter.create(join(directory, "journal"), lock);
    const run = new OpenRun(place, directory, new RunAccount(facts), journal);
    run.#write(beginning());
    await book.append(lock, { entry: "begin", ...begunWith(facts) });
    return run;
  }

  /** Takes a run up where its last process left it. */
  static async resume(place: RunPlace, { directory, account, journalEnd }: StoredRun): Promise<OpenRun> {
    const journal = await JournalWriter.reopen(join(directory, "journal"), journalEnd, place.lock);
    const run = new OpenRun(place, directory, account, journal);
    try {
      run.#write(beginning());
      return run;
    } catch (error) {
      await run.close();
      throw error;
    }
  }

  get name(): string {
    return this.account.facts.run;
  }

  get isOpen(): boolean {
    return isOpen(this);
  }

  /** True if its journal is complete, and it is to be closed once the user knows how the command ended. */
  get isDone(): boolean {
    return this.account.ending !== undefined && stateOf(this.account) === "finished";
  }

  /** To be awaited before each request is sent. */
  async beforeRequest(kind: RecordKind): Promise<void> {
    if (kind === "update") await this.#place.lock.noteSending(this.name);
  }

  /**
   * Throws a locked error if another process has taken the table's lock since; to be called right before the first byte
   * of each request.
   */
  beforeFirstByte(): void {
    this.#place.lock.checkAfterGap();
  }

  /**
   * Resolves when the intent to send these creates is on disk, with their prints and the key that their request
   * carries, and this process still holds the table's lock: a process that takes it later finds the intent.
   */
  async announce(batch: Batch, prints: Buffer): Promise<void> {
    const stretch = stretchOf(batch.number, batch);
    await this.#writeToDisk({ entry: "intent", ...stretch, prints: prints.toString("base64") });
    await this.#place.lock.check();
  }

  /** Notes an outcome. If it throws, no more may be sent, and the outcome counts for nothing, as for the next process. */
  settle(settled: Settled): void {
    this.#write(outcomeOf(settled));
  }

  /**
   * To be called when no more is sent. Creates that were announced and not sent are free again, as the end of the run
   * will say. If the journal cannot be written, the next process will take them as in doubt: they are returned.
   */
  endSending(): readonly Doubt[] {
    if (this.#journal.failure !== undefined) return this.account.doubtAnnounced();
    this.account.letGo();
    return [];
  }

  /** Notes how many creates are left out because they were created before; the last note counts. */
  async leaveOut(creates: number): Promise<void> {
    if (creates === this.account.leftOut) return;
    await this.#writeToDisk({ entry: "leftOut", creates });
  }

  /** Records the user's decision. Returns the reason instead if its doubt is not the present one. */
  async decide({ doubt, inDoubt, applied }: DoubtDecision): Promise<string | undefined> {
    const { decided, doubt: present } = this.account;
    if (doubt !== present)
      return whyNothingIsDecided(this.name, { decided, shown: { doubt: present } }, { doubt });
    const at = new Date().toISOString();
    const named = applied === undefined ? {} : { applied };
    await this.#writeToDisk({ entry: "decision", doubt, inDoubt, at, ...named });
    return undefined;
  }

  /**
   * Ends work on the run in order. The end of one that has nothing left to do is brought to disk by the book when it is closed:
   * until then a power failure can only leave its last creates in doubt.
   */
  async end(exitCode: number, why?: RecPushError): Promise<void> {
    const line = this.#write(endOf(exitCode, why));
    // A plan closes the runs of its shards later.
    if (this.isDone && this.account.facts.shard === undefined) return;
    await this.#bringToDisk(line.number);
  }

  /** To be awaited before these records are sent: then the hashes of their keys are on disk. */
  async noteKeys(records: RecordList): Promise<void> {
    const keys = keysOf(records);
    if (keys !== undefined) await this.#writeToDisk({ entry: "keys", ...keys });
  }

  /** Notes updates that are not sent, because later runs have given all their fields. A later process finds the same. */
  passOver(updates: readonly number[]): void {
    if (updates.length > 0) this.#write({ entry: "overtaken", ordinals: rangesOf(updates) });
  }

  /** Notes the records of an unfinished run. Without the note the run only stays open, so it need not be on disk. */
  noteLeft(left: LeftRecords): void {
    this.#write({ entry: "left", ...left });
  }

  /** Closes the run: the user gave it up, or the run `by` took its records over. */
  async abandon(by?: string): Promise<void> {
    const at = new Date().toISOString();
    await this.#writeToDisk({ entry: "abandon", at, ...(by === undefined ? {} : { by }) });
    // {@link abandon} closes the run, which removes its journal.
    await this.close();
    const { directory, account } = this;
    await closeRun(this.#place, { directory, account, journalEnd: this.#journal.end }, false);
  }

  async close(): Promise<void> {
    await this.#journal.close();
  }

  /** The entry is on disk when this resolves, and the lock says that it is there. */
  async #writeToDisk(entry: JournalEntry): Promise<void> {
    const { number } = this.#write(entry);
    await this.#bringToDisk(number);
  }

  async #bringToDisk(lines: number): Promise<void> {
    await this.#journal.sync();
    await this.#place.lock.noteLines(this.name, lines);
  }

  /** Returns the line of the entry. */
  #write(entry: JournalEntry): LineName {
    const line = this.#journal.append(entry);
    this.account.take(entry, line);
    return line;
  }
}

/** The book's entry for a run that begins. */
function begunWith(facts: RunFacts): BookRun {
  const { run, startedAt, file, olderRuns, createdBy, rowsOf, takes, identifiedBy, identity, totals } = facts;
  const { content, dbVersion, runKey } = identity;
  return {
    run,
    startedAt,
    file,
    content,
    dbVersion,
    runKey,
    hasCreates: createdBy === undefined && totals.creates > 0,
    olderRuns,
    createdBy,
    rowsOf,
    takes,
    identifiedBy,
    facts,
  };
}

/** A process takes a run up. */
export function beginning(): JournalEntry {
  return { entry: "begin", at: new Date().toISOString(), process: ownIdentity() };
}

/** The outcome of the records of a request, as an entry. */
function outcomeOf({ batch, kind, records, outcome, status, msg, attempts }: Settled): OutcomeEntry {
  return { entry: "outcome", ...stretchOf(batch, { kind, records }), outcome, status, msg, attempts };
}

/** A process ends in order. */
function endOf(exitCode: number, why: RecPushError | undefined): JournalEntry {
  const reason = why?.message.split("\n")[0] ?? "";
  const end = { exitCode, reason, ...(why === undefined ? {} : { code: why.code }) };
  return { entry: "end", at: new Date().toISOString(), end };
}

/** The places of a request's records in the run. */
function stretchOf(
  batch: number,
  { kind, records }: { readonly kind: Batch["kind"]; readonly records: RecordList },
): Stretch {
  return {
    batch,
    kind,
    ordinals: ordinalsOf(records),
    lines: [records.at(0)?.line ?? 0, records.at(-1)?.line ?? 0],
  };
}
