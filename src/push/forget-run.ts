import { openRunError } from "../ledger/decide-start.ts";
import { removePrints } from "../ledger/ledger-file.ts";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/text.ts";
import { bookOf, findInBooks } from "../store/find-books.ts";
import { findRun, type RunPlace, settleLostRun } from "../store/close-finished.ts";
import { OpenRun } from "../store/open-run.ts";
import type { RunFacts } from "../store/run-facts.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { isOpen, type KeptRun, readRun, type StoredRun } from "../store/summarise-run.ts";
import { underLock } from "../store/table-lock.ts";

/**
 * Takes the creates of a closed run out of the ledger; returns their number, if there is one. For a run with a lost or
 * damaged journal, this is the user's word that the service holds none of its creates. Throws a usage error if no book
 * knows the run, or if it is open.
 */
export async function forgetRun(state: StateDirectory, run: string): Promise<number | undefined> {
  const { book, found, prints } = (await findInBooks(state, run)) ?? {};
  const isUnclosed = found !== undefined && found.closed === undefined;
  const isLost = isUnclosed && (await readRun(state, run)).loss !== undefined;
  if (isUnclosed && !isLost) throw openRunError(run, "is open: what it created may still change");
  const table = book?.table;
  if (book === undefined || table === undefined || (prints === undefined && !isLost))
    throw new RecPushError("no-run", `the ledger knows of no create of the run ${run}`, {
      hint: "rec-push runs lists the runs that are kept",
    });
  return underLock(state, table, `the table ${run}`, async (lock) => {
    if (isLost) await settleLostRun({ state, lock }, run);
    if (prints !== undefined) {
      await book.append(lock, { entry: "prints", files: { [run]: null }, removedFrom: [run] });
      await removePrints(book.directory, prints);
    }
    // The user's word counts, whatever the book said before.
    await lock.handOn(book.end);
    return prints && prints.certain + prints.doubtful;
  });
}

/** A run that the user has given up. */
export interface AbandonedRun {
  readonly run: string;
  /** True if the service may hold a create of it. */
  readonly hasCreates?: boolean;
  /** The rows to be mended that were given up of a run that had nothing else left. */
  readonly rows?: number;
}

/**
 * Gives up the unsent rows of a run, or only its rows to be mended, while nobody pushes to its table. Throws a usage error
 * if nothing of it is left, and a machine error if its journal is lost or damaged, because its creates are then uncertain.
 */
export async function abandonRun(state: StateDirectory, typed: string): Promise<AbandonedRun> {
  const { run: name, book, end } = await findRun(state, typed);
  return underLock(state, book.table!, `the table ${end.kept.shown.table}`, async (lock) => {
    const kept = await findRun(state, name);
    if (kept.stored === undefined || !isOpen(kept.stored)) return giveUpRows({ state, lock }, kept);
    refuseShard(kept.stored.facts);
    await abandonOpen({ state, lock }, kept.stored);
    return { run: name, hasCreates: kept.stored.account.hasCreates };
  });
}

/** Gives up the unsent rows of an open run. `by`: the run that took them over. */
export async function abandonOpen(place: RunPlace, stored: StoredRun, by?: string): Promise<void> {
  const run = await OpenRun.resume(place, stored);
  try {
    await run.abandon(by);
  } finally {
    await run.close();
  }
}

async function giveUpRows({ state, lock }: RunPlace, kept: KeptRun): Promise<AbandonedRun> {
  const { run, end } = kept;
  const book = await bookOf(state, lock.table);
  if (end.toMend === undefined || end.toMend === 0 || end.isAbandoned === true || book.isMended(run))
    throw new RecPushError("not-open", `the run ${run} is not open: nothing is left to give up`);
  await book.append(lock, { entry: "mended", run });
  return { run, rows: end.toMend };
}

/** Throws a usage error for the run of a shard: only its plan says which rows are its own. */
export function refuseShard({ run, shard }: Pick<RunFacts, "run" | "shard">): void {
  if (shard === undefined) return;
  const word = quoteWord(shard.directory);
  throw new RecPushError(
    "not-planned",
    `the run ${run} is that of the shard ${shard.shard}/${shard.of} of the plan ${shard.plan}: it is continued with its plan`,
    {
      hint: `rec-push push --plan ${word} --shard ${shard.shard}/${shard.of}\nrec-push runs --plan ${word} says what is left of the plan`,
    },
  );
}
