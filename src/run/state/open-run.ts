import { join } from "node:path";
import type { Settled } from "../../model/outcome.ts";
import type { Batch, PreparedRecord } from "../../model/record.ts";
import type { RunEnding, Stretch } from "../journal/journal-entry.ts";
import { JournalWriter } from "../journal/journal-writer.ts";
import { rangesOf } from "../journal/number-ranges.ts";
import { RunAccount } from "../journal/run-account.ts";
import type { RunFacts } from "../journal/run-facts.ts";
import { notePushed } from "./content-index.ts";
import { closeRun, makeRunDirectory, stateOf, type StoredRun } from "./run-store.ts";
import type { StateDirectory } from "./state-directory.ts";
import { writeReport } from "./write-report.ts";

/** A run while this process pushes it: every word goes to its journal before it counts. */
export class OpenRun {
  readonly directory: string;
  readonly account: RunAccount;
  readonly #journal: JournalWriter;

  private constructor(directory: string, account: RunAccount, journal: JournalWriter) {
    this.directory = directory;
    this.account = account;
    this.#journal = journal;
  }

  /**
   * Begins a run: who comes after a crash finds the content, the run and its facts. `furnish` puts into the directory
   * what the run needs, before the run is known.
   */
  static async begin(
    state: StateDirectory,
    facts: RunFacts,
    furnish: (directory: string) => Promise<void> = async () => undefined,
  ): Promise<OpenRun> {
    const directory = await makeRunDirectory(state, facts.run);
    await furnish(directory);
    const journal = await JournalWriter.create(join(directory, "journal"), [directory, state.runs]);
    const run = new OpenRun(directory, new RunAccount(), journal);
    await run.#write({ entry: "run", facts });
    await journal.sync();
    const { identity, startedAt, file, totals } = facts;
    const hasCreates = (totals?.creates ?? 1) > 0;
    await notePushed(state.contents, identity, { run: facts.run, startedAt, file, hasCreates });
    // Only now: a run that begins is one that its content knows of, so that no other run is made for it.
    await run.#write({ entry: "begin", at: new Date().toISOString() });
    await journal.sync();
    return run;
  }

  /** Takes a run up where its last process left it. */
  static async resume({ directory, account, journalEnd }: StoredRun): Promise<OpenRun> {
    const journal = await JournalWriter.reopen(join(directory, "journal"), journalEnd);
    const run = new OpenRun(directory, account, journal);
    await run.#write({ entry: "begin", at: new Date().toISOString() });
    return run;
  }

  get name(): string {
    return this.account.facts?.run ?? "";
  }

  get isOpen(): boolean {
    const state = stateOf(this.account);
    return state === "unfinished" || state === "unsettled";
  }

  /** Resolves when the intent to send these creates is on disk. */
  async announce(batch: Batch): Promise<void> {
    await this.#write({ entry: "intent", ...stretchOf(batch.number, batch) });
    await this.#journal.sync();
  }

  async settle({ batch, kind, records, outcome, status, msg, attempts }: Settled): Promise<void> {
    const stretch = stretchOf(batch, { kind, records });
    await this.#write({ entry: "outcome", ...stretch, outcome, status, msg, attempts });
  }

  /** The user's word on everything that is in doubt. */
  async decide(inDoubt: "applied" | "resend"): Promise<void> {
    await this.#write({ entry: "decision", inDoubt, at: new Date().toISOString() });
    await this.#journal.sync();
  }

  /** Lets go of the run in order, with its last word on disk. */
  async end(end: RunEnding): Promise<void> {
    await this.#write({ entry: "end", at: new Date().toISOString(), end });
    await this.#journal.sync();
    await this.#report();
    if (stateOf(this.account) === "finished") await closeRun(this.directory);
  }

  async abandon(): Promise<void> {
    await this.#write({ entry: "abandon", at: new Date().toISOString() });
    await this.#journal.sync();
    await this.#report();
    await closeRun(this.directory);
  }

  async close(): Promise<void> {
    await this.#journal.close();
  }

  async #report(): Promise<void> {
    const { directory, account, name } = this;
    if (account.facts !== undefined)
      await writeReport({ run: name, directory, facts: account.facts, account });
  }

  async #write(entry: Parameters<JournalWriter["append"]>[0]): Promise<void> {
    await this.#journal.append(entry);
    this.account.take(entry);
  }
}

function stretchOf(
  batch: number,
  { kind, records }: { readonly kind: Batch["kind"]; readonly records: readonly PreparedRecord[] },
): Stretch {
  return {
    batch,
    kind,
    ordinals: rangesOf(records.map(({ ordinal }) => ordinal)),
    lines: [records[0]?.line ?? 0, records.at(-1)?.line ?? 0],
  };
}
