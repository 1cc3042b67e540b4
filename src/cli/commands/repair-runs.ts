import { dirname } from "node:path";
import { showCount, showInteger } from "../../model/counts.ts";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionValues } from "../../options/table.ts";
import { announceRest } from "../../push/repair-run.ts";
import { findLostRuns } from "../../store/close-finished.ts";
import { allBooks, bookOf, readBooks } from "../../store/find-books.ts";
import { waysToSay } from "../../store/journal.ts";
import { readIntactBook, readIntactRun, repairBook, rewriteJournal } from "../../store/repair-table.ts";
import type { TableLock } from "../../store/held-lock.ts";
import { underLock } from "../../store/table-lock.ts";
import { placeOfRun, type StateDirectory } from "../../store/state-directory.ts";
import type { Io } from "../run-settings.ts";
import { say } from "../say.ts";
import { againOf, requestAgain } from "../send-again.ts";

/** What was done about a damaged part, and what is left to do about it. */
interface Repair {
  /** The run, or the path of the book. */
  readonly part: string;
  readonly isRepaired: boolean;
  readonly text: string;
  readonly next: string;
}

/** Makes damaged books and journals readable again. What is no longer certain counts as in doubt, or stops creates. */
export async function repairRuns(state: StateDirectory, values: OptionValues, io: Io): Promise<number> {
  const repairs: Repair[] = [];
  for (const { path, fault } of (await readBooks(state)).damaged)
    repairs.push(await repairDamaged(state, path, fault));
  for (const { table } of await allBooks(state)) {
    if (table === undefined || (await findLostRuns(state, table)).length === 0) continue;
    await underLock(state, table, `the table ${table.url}`, async (lock) => {
      for (const run of await findLostRuns(state, table)) repairs.push(await repairRun(state, run, lock));
    });
  }
  for (const { next, ...repair } of repairs) {
    const lines = [`${repair.part}: ${repair.text}`, `  Next: ${next.replaceAll("\n", "\n  ")}`];
    say({ event: "repair", ...repair, next: [next] }, lines, values, io);
  }
  if (repairs.length === 0 && values.json !== true) io.stdout.write(`nothing is damaged in ${state.root}\n`);
  return repairs.every(({ isRepaired }) => isRepaired) ? EXIT.ok : EXIT.fault;
}

const ADD = "say which records without key the service has: rec-push ledger add FILE --table NAME";

async function repairDamaged(state: StateDirectory, path: string, fault: RecPushError): Promise<Repair> {
  try {
    const directory = dirname(path);
    const { table, entries } = await readIntactBook(directory);
    if (table === undefined)
      return {
        part: path,
        isRepaired: false,
        text: "it no longer says to which table it belongs",
        next: `restore the state directory from a backup, or move ${path} away; then ${ADD}`,
      };
    await underLock(state, table, `the table ${table.url}`, (lock) => repairBook(directory, entries, lock));
    return {
      part: path,
      isRepaired: true,
      text: `it is kept up to line ${showInteger(entries.length)}; what was pushed after that is not known, and no record without key is created in the table ${table.url} until you say what the service has`,
      next: ADD,
    };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    if (error.kind === "locked") throw error;
    return { part: path, isRepaired: false, text: error.message, next: error.hint ?? fault.hint ?? "" };
  }
}

async function repairRun(state: StateDirectory, run: string, lock: TableLock): Promise<Repair> {
  const book = await bookOf(state, lock.table);
  const directory = placeOfRun(book.directory, run);
  const failed = (why: string, hint = ""): Repair => ({
    part: run,
    isRepaired: false,
    text: why,
    next: `${hint}${waysToSay([run])}`,
  });
  try {
    const facts = book.run(run)?.facts;
    if (facts === undefined) return failed("it is no longer known how its file was read");
    const intact = await readIntactRun(directory, facts);
    const { request } = requestAgain(againOf({ directory, facts }), {});
    const again = { ...request, spoolIn: state.incoming };
    const { entries, creates, failure } = await announceRest(intact.account, again);
    if (failure !== undefined)
      return failed(failure.message, `bring ${facts.file} back as it was, then rec-push runs repair\nor `);
    await rewriteJournal(intact, run, lock, entries);
    const doubt =
      creates === 0
        ? "none of its records without key is in doubt because of it"
        : `${showCount(creates, "create")} of ${facts.file} ${creates === 1 ? "counts" : "count"} as in doubt`;
    return {
      part: run,
      isRepaired: true,
      text: `its journal can be read again, up to line ${intact.end.number}; ${doubt}`,
      next: `rec-push resume ${run}`,
    };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return failed(error.message);
  }
}
