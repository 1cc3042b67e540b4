import { join } from "node:path";
import { Readable } from "node:stream";
import { findDoubtFile } from "../finish/doubt-files.ts";
import { isSettledSince } from "../finish/holds-unmended.ts";
import { countWritten, findRejects, readKeptPlace } from "../finish/kept-place.ts";
import { readJournal } from "../journal/read-journal.ts";
import { describeRecordPlan } from "../journal/record-plan.ts";
import type { StoredRun } from "../journal/run-store.ts";
import { countToMend } from "../journal/summarise-run.ts";
import { identityFields } from "../ledger/exports-rule.ts";
import { refuseOtherContent, refuseOtherRecords } from "../ledger/decide-start.ts";
import type { RecPushError } from "../model/failure.ts";
import type { DoubtFile } from "../model/event.ts";
import type { RejectsFile } from "../model/run-end.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../prepare/select.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { LedgerDesk, type LedgerAnswer } from "./ask-ledger.ts";
import { Books } from "./books.ts";
import { comparisonOf } from "./comparison-of.ts";
import { noteChunksOf } from "./note-chunk.ts";
import type { PushRequest } from "./push-request.ts";
import { runInputs, type RunControl } from "./run-inputs.ts";
import type { RunKeeping } from "./start-run.ts";
import { Tally } from "./tally.ts";

/** The files of a run whose input was read again. */
export interface RetoldRun {
  readonly doubtFiles: readonly DoubtFile[];
  /** Rows that still have to be mended; the command for them needs the survey of the input. */
  readonly rejectsFiles?: readonly RejectsFile[];
  /** Why they could not be brought up to date. */
  readonly notice?: string | undefined;
}

/** A run whose input is read again without sending anything. */
export interface Retelling {
  readonly request: PushRequest & { readonly keeping: RunKeeping };
  readonly control: Pick<RunControl, "drain" | "abort">;
}

/**
 * Reads the input of a run once more without sending anything: writes its results, if they are wanted, and the file of
 * the rows in doubt and its rejects, where a process was killed before it wrote them. The journal stays as it is. If the input cannot be read,
 * only these files are missing.
 */
export async function retellRun(stored: StoredRun, { request, control }: Retelling): Promise<RetoldRun> {
  const { run, directory, account } = stored;
  const there = await findDoubtFile(directory, account);
  const hasDoubtFile = there !== undefined || account.doubt === undefined;
  const known = there === undefined ? [] : [{ ...there, run }];
  const toMend = countToMend(stored);
  if (request.results === undefined && hasDoubtFile && toMend === 0) return { doubtFiles: known };
  // The rejects were written when the run ended: only the command that pushes them is missing.
  const isWritten = hasDoubtFile && toMend > 0 && !(await lacksRejects(stored));
  const written = isWritten ? (await findRejects(directory))[0] : undefined;
  let doubtFiles: readonly DoubtFile[] = known;
  let rejectsFiles: readonly RejectsFile[] = [];
  const quiet: RunControl = {
    ...control,
    stdin: () => Readable.from([]),
    received: () => undefined,
    emit: () => undefined,
  };
  const { failure } = await runInputs(request, quiet, async (_, spoolDirectory) => ({
    async finish([input]) {
      const books = new Books([input!], request, quiet, new Tally(), spoolDirectory);
      const desk = new LedgerDesk(request, request.keeping, spoolDirectory);
      try {
        await noteRows(input!, stored, books, desk, request, control.abort);
        books.accounts.set(0, account);
        if (!hasDoubtFile) await books.doubtFiles.write(0, directory, account);
        doubtFiles = hasDoubtFile ? known : books.doubtFiles.files;
        const { state } = request.keeping;
        if (countWritten(await readKeptPlace(directory)) === toMend)
          await books.rejects.recall(0, directory, (path) => isSettledSince(state, stored, path));
        else await books.rejects.catchUp(0, directory);
        rejectsFiles = books.rejects.files;
        return await books.finish(undefined);
      } finally {
        await books.remove();
        await desk.close();
      }
    },
  }));
  return { doubtFiles, rejectsFiles, notice: failure && describeFailure(failure, request, written) };
}

/** True if rows of a run that have to be mended are in no file: a process was killed before it wrote them. */
export async function lacksRejects(stored: StoredRun): Promise<boolean> {
  const toMend = countToMend(stored);
  return toMend > 0 && countWritten(await readKeptPlace(stored.directory)) !== toMend;
}

async function noteRows(
  input: SurveyedInput,
  stored: StoredRun,
  books: Books,
  desk: LedgerDesk,
  { optionPlan, onInvalid, keeping, read }: Retelling["request"],
  abort: AbortSignal,
): Promise<void> {
  const { account, directory, facts } = stored;
  refuseOtherContent(stored, input.source.name, input.report.reading.fingerprint);
  refuseOtherRecords(stored, describeRecordPlan(input, optionPlan));
  await readJournal(join(directory, "journal"), (entry) => {
    if (entry.entry === "outcome" && entry.outcome !== "failed") books.outcomes.add(0, entry);
  });
  await books.outcomes.settle();
  const form = comparisonOf(input.plan, identityFields(keeping.exports));
  // The plan of a shard has asked the ledger.
  const answer =
    input.part === undefined ? await desk.ask(input, { kind: "resume", stored }, form, true) : undefined;
  const prepared = prepareRecords(input, { read });
  const chunks = selectRecords(prepared, {
    ...selectionOf(input),
    leavesCreatesOut: facts.createdBy !== undefined,
    whyLeftOut: input.part?.whyLeftOut ?? leftOutOf(answer, account.leftOut),
    isSettled: (kind, ordinal) => account.standingOf(kind, ordinal) !== undefined,
  });
  const note = noteChunksOf(
    {
      at: 0,
      file: input.source.name,
      leavesInvalidOut: onInvalid === "skip",
      account,
      touched: undefined,
    },
    books,
  );
  for await (const chunk of chunks) {
    if (abort.aborted) return;
    await note(chunk, false);
  }
}

/** Creates that were left out, even if the ledger no longer knows why. */
function leftOutOf(
  answer: LedgerAnswer | undefined,
  leftOut: number,
): LedgerAnswer["whyLeftOut"] | undefined {
  return leftOut === 0 ? undefined : (ordinal) => answer?.whyLeftOut(ordinal) ?? "created";
}

function describeFailure(
  { message, hint }: RecPushError,
  { results }: PushRequest,
  written: string | undefined,
): string {
  const files =
    written === undefined
      ? "the rows in doubt and the rejects are not written to files"
      : `the rows to mend are in ${written}; the command that pushes them is not known without the input`;
  const what = results === undefined ? files : `the results in ${results.path} are not brought up to date`;
  return `${what}: ${message}${hint === undefined ? "" : ` (${hint.split("\n")[0]})`}`;
}
