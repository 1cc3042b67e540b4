import { removeDoubtFiles } from "../../files/doubt-files.ts";
import { showCount } from "../../model/counts.ts";
import type { RunEnd } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { InDoubt } from "../../options/runs.ts";
import type { OptionValues } from "../../options/table.ts";
import { settleHalted } from "../../push/settle-doubt.ts";
import { stepsOfRun } from "../../report/advice.ts";
import {
  type DoubtDecision,
  keptOf,
  type KeptRun,
  loadKept,
  stateOf,
  type StoredRun,
  summariseRun,
} from "../../store/summarise-run.ts";
import { findInBooks } from "../../store/find-books.ts";
import type { TableLock } from "../../store/held-lock.ts";
import type { StateDirectory, TableId } from "../../store/state-directory.ts";
import { openReporter } from "../reporting.ts";
import type { Io } from "../run-settings.ts";
import { inSession, notStarted } from "../session.ts";

// A resume that sends nothing: the run has nothing left to send, or its input is not as it was, or only the ledger
// still knows of it.

/** A resume: its options, and where the runs are. */
interface Resume {
  readonly values: OptionValues;
  readonly state: StateDirectory;
  readonly io: Io;
}

/**
 * Notes the decision on a run that cannot go on, because it has nothing left to send or its input is not as it was, and
 * reports its state. Throws a usage error for what needs its rows.
 */
export async function tellHalted(
  resume: Resume,
  kept: KeptRun,
  decision: DoubtDecision | undefined,
  inputNow?: "changed" | "gone",
): Promise<number> {
  const { values, state } = resume;
  const { run, stored, begun, book, end } = kept;
  const option = values.rejects === undefined ? values.results && "--results" : "--rejects";
  if (option !== undefined)
    throw new RecPushError(
      "not-open",
      `nothing of the run ${run} can be sent, so its rows are not judged again for ${option}`,
      { hint: `leave ${option} out` },
    );
  const { table, doubt } = end.kept.shown;
  const isPresent = decision !== undefined && decision.doubt === doubt;
  // A decision comes first: its result is reported before the missing file.
  const isSent = isPresent
    ? decision.inDoubt === "resend"
    : stored && stateOf(stored.account) === "unfinished";
  if (stored !== undefined && inputNow !== undefined && isSent === true) throw inputLost(stored, inputNow);
  const whyNotSent = inputNow && ((open: StoredRun) => inputLost(open, inputNow));
  return tellEnd(resume, { run, id: book.table!, table, files: [begun.file] }, (tell, lock) =>
    settleHalted({ state, lock }, { run, inputNow, decision, whyNotSent }, tell),
  );
}

/** The failure of a run whose rows cannot be sent, because its input is gone or has changed. */
function inputLost(stored: StoredRun, inputNow: "changed" | "gone"): RecPushError {
  const { run, facts, account } = stored;
  const what = inputNow === "gone" ? "is gone" : "has changed since the run began";
  const steps = [...stepsOfRun({ ...summariseRun(keptOf(stored)), inputNow })];
  // An unfinished run has a step of its own that says so.
  if (stateOf(account) === "unsettled")
    steps.unshift("bring the file back as it was, then run the same command again");
  return new RecPushError(
    inputNow === "gone" ? "source-gone" : "source-replaced",
    `${facts.file} ${what}, so no row of the run ${run} can be sent; nothing was sent`,
    { hint: steps.join("\n") },
  );
}

/** A run that sends nothing. */
interface QuietRun {
  readonly run: string;
  readonly id: TableId;
  readonly table: string;
  readonly files: readonly string[];
}

/** Works on a run under its table's lock and reports the state of the run; returns the exit code. */
async function tellEnd(
  { state, values, io }: Resume,
  { run, id, table, files }: QuietRun,
  work: (tell: (text: string) => void, lock: TableLock) => Promise<RunEnd>,
): Promise<number> {
  const reporter = await openReporter(values, io, false);
  const tell = (text: string): void => reporter.emit({ event: "notice", text, isAlwaysShown: true });
  return inSession({ reporter, values, io }, async ({ begin, locked, finish }) => {
    begin({ run, table, url: id.url, files, configs: [] });
    return finish(await locked(state, { ...id, table }, (lock) => work(tell, lock), notStarted), run);
  });
}

/**
 * The user's decision on the doubt of a closed run. Only the ledger still records it, so all of its records get one answer.
 */
export function decideInLedger(
  resume: Resume,
  { run, id }: Pick<QuietRun, "run" | "id">,
  decision: InDoubt,
): Promise<number> {
  const { state } = resume;
  return tellEnd(resume, { run, id, table: id.url, files: [] }, async (tell, lock) => {
    const { book, prints } = (await findInBooks(state, run)) ?? {};
    if (book === undefined || prints?.doubt === undefined)
      throw new RecPushError("not-open", `the run ${run} is closed, and left nothing in doubt`);
    const { doubtful: records, doubt } = prints;
    const end = { ...notStarted(undefined), runs: [run], read: records };
    if (records === 0) {
      tell(`the doubt ${doubt} of the run ${run} was decided before: nothing is left to do`);
      return end;
    }
    if (decision.kind === "file" || decision.doubt !== doubt || decision.answer === "resend") {
      tell(
        `the run ${run} is closed and sends nothing any more, and ${doubt} is in doubt: this line decides nothing`,
      );
      const earlier = [{ run, hasRejects: false, inDoubt: records, doubt }];
      return { ...end, counts: { ...end.counts, inDoubt: records }, earlier };
    }
    const { answer } = decision;
    const kept = await loadKept(state, run);
    await book.append(lock, { entry: "decide", run, answer });
    if (kept !== undefined) await removeDoubtFiles(kept, undefined);
    const [fate, outcome] =
      answer === "applied" ? (["created", "accepted"] as const) : (["absent", "notSent"] as const);
    tell(
      `${showCount(records, "create")} of the run ${run} ${records === 1 ? "counts" : "count"} as ${fate}`,
    );
    return { ...end, counts: { ...end.counts, [outcome]: records } };
  });
}
