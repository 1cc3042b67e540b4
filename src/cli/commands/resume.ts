import { resolve } from "node:path";
import { removeDoubtFiles } from "../../files/doubt-files.ts";
import { lookAtInput } from "../../files/rows-to-mend.ts";
import { showCount } from "../../model/counts.ts";
import { EXIT, type RunEnd } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { given } from "../../options/declaration.ts";
import { readValues } from "../../options/read-values.ts";
import type { InDoubt } from "../../options/runs.ts";
import type { OptionValues } from "../../options/table.ts";
import { refuseShard } from "../../push/forget-run.ts";
import { settleHalted } from "../../push/settle-doubt.ts";
import { findRun } from "../../store/close-finished.ts";
import { type DoubtDecision, whyNothingIsDecided } from "../../store/doubt-decision.ts";
import { findInBooks } from "../../store/find-books.ts";
import type { TableLock } from "../../store/held-lock.ts";
import { openStateDirectory, type StateDirectory } from "../../store/state-directory.ts";
import { isOpen, type KeptRun, loadKept, stateOf, type StoredRun } from "../../store/summarise-run.ts";
import type { TableId } from "../../store/table-place.ts";
import { isConfirmed } from "../ask/dialogue.ts";
import { withEnvironment } from "../header-files.ts";
import { bookTarget, checkQueryValues, keepingOf, readBookTarget } from "../keeping.ts";
import type { CommandLine } from "../program.ts";
import { openReporter } from "../reporting.ts";
import { countDecided, inputLost, readDecision, resumeRequest, runOfDecision } from "../resume-request.ts";
import { type Io, stateRoot } from "../run-settings.ts";
import { sendFiles } from "../sending.ts";
import { inSession, notStarted } from "../session.ts";
import { readTarget } from "../target-settings.ts";

/** A resume: its options, and where the runs are. */
interface Resume {
  readonly options: CommandLine["options"];
  readonly values: OptionValues;
  readonly state: StateDirectory;
  readonly io: Io;
}

/** Continues an open run: sends the records that were certainly not applied; the user decides on those in doubt. */
export async function runResume(typed: CommandLine, io: Io): Promise<number> {
  if (typed.options["plan"] !== undefined || typed.options["shard"] !== undefined) {
    const { resumeShard } = await import("./push-shard.ts");
    return resumeShard(typed, io);
  }
  // The paths of a run are absolute, so that what is printed about it works from every directory.
  const { stateDir } = typed.options;
  const absolute = given({ stateDir: stateDir && resolve(io.cwd, String(stateDir)) });
  const options = { ...typed.options, ...absolute };
  const values = readValues(options);
  const state = await openStateDirectory(stateRoot(values, io));
  const resume: Resume = { options, values, state, io };
  const { inDoubt } = values;
  const name = typed.files[0] ?? (await runOfDecision(inDoubt, io.cwd));
  // If the run was pruned, the ledger still knows what it left in doubt.
  const isKnown = name !== undefined && (await findInBooks(state, name)) !== undefined;
  const run = isKnown ? name : (await findRun(state, name)).run;
  const { prints, book } = (await findInBooks(state, run))!;
  if (inDoubt !== undefined && prints?.doubt !== undefined && book.table !== undefined)
    return decideInLedger(resume, { run, id: book.table }, inDoubt);
  const kept = await findRun(state, run);
  if (kept.end.isAbandoned === true) throw abandoned(kept);
  const decision = inDoubt && (await decisionOf(inDoubt, kept, io));
  const { stored } = kept;
  if (stored === undefined || !isOpen(stored)) return tellHalted(resume, kept, decision);
  refuseShard(stored.facts);
  const inputNow = await lookAtInput(stored);
  // A push says of other content what to do.
  return inputNow === undefined || (inputNow === "changed" && decision === undefined)
    ? goOn(resume, stored, decision)
    : tellHalted(resume, kept, decision, inputNow);
}

function abandoned({ run, end }: KeptRun): RecPushError {
  const { takenOverBy } = end.kept.shown;
  const why = takenOverBy === undefined ? "was given up" : `was taken over by the run ${takenOverBy}`;
  return new RecPushError("abandoned-run", `the run ${run} ${why}`, {
    hint: "push its file again: what it created stays, so check that before adding --again",
  });
}

/**
 * The decision that the line gives. Throws a usage error if nothing is in doubt and the run is not known to have had that
 * doubt.
 */
async function decisionOf(inDoubt: InDoubt, kept: KeptRun, { cwd }: Io): Promise<DoubtDecision> {
  const decision = await readDecision(inDoubt, kept, cwd);
  const { decided, shown } = kept.end.kept;
  if (shown.doubt !== undefined || decided[decision.doubt] !== undefined) return decision;
  throw new RecPushError(
    "nothing-in-doubt",
    `${whyNothingIsDecided(kept.run, kept.end.kept, decision)}, and nothing was sent`,
    { hint: `rec-push runs ${kept.run} says how it ended` },
  );
}

/** Goes on with a run as a push of its input; if only doubt or files are left, nothing is sent and no token is needed. */
async function goOn(resume: Resume, stored: StoredRun, decision: DoubtDecision | undefined): Promise<number> {
  const { options, values: line, state, io } = resume;
  const { facts, account, run } = stored;
  // It is judged once more with the lock held.
  const isPresent = decision !== undefined && decision.doubt === account.doubt;
  const notices: string[] = [];
  if (decision?.file !== undefined) {
    const text = countDecided(stored, decision.file.left);
    if (!(await isConfirmed(text, line, io))) return EXIT.ok;
    notices.push(text);
  }
  const isToSend = stateOf(account) === "unfinished" || (isPresent && decision.inDoubt === "resend");
  const { merged, values, request } = resumeRequest(stored, await withEnvironment(options, io.env), isToSend);
  const runKey = facts.identity.runKey ?? undefined;
  const asTyped = given({ ...merged, table: facts.table, runKey });
  const notice = (text: string): void => void notices.push(text);
  const from = `the run ${run}`;
  const target = isToSend
    ? await readTarget(values, facts.table, { line: options, env: io.env, from, notice })
    : readBookTarget({ ...values, table: facts.table }).address;
  if (isToSend) checkQueryValues(facts, target.queryHash);
  const ofBook = isToSend ? bookTarget(target, runKey) : facts.identity;
  const keeping = {
    ...keepingOf(values, { state, facts, target: ofBook, cwd: io.cwd }),
    resumed: run,
    decision,
  };
  // Always an exit code, because nobody is asked.
  const sending = { values, request, line: asTyped, merged, target, notices, keeping };
  return (await sendFiles(sending, io)) as number;
}

/**
 * Notes the decision on a run that cannot go on, because it has nothing left to send or its input is not as it was, and
 * reports its state. Throws a usage error for what needs its rows.
 */
async function tellHalted(
  resume: Resume,
  kept: KeptRun,
  decision: DoubtDecision | undefined,
  inputNow?: "changed" | "gone",
): Promise<number> {
  const { values, state } = resume;
  const { run, stored, begun, book, end } = kept;
  const { rejects, results } = values;
  const option = rejects === undefined ? results && "--results" : "--rejects";
  if (option !== undefined)
    throw new RecPushError(
      "nothing-to-send",
      `nothing of the run ${run} can be sent, so its rows are not judged again for ${option}`,
      { hint: `leave ${option} out` },
    );
  const isPresent = decision !== undefined && decision.doubt === end.kept.shown.doubt;
  if (stored !== undefined && inputNow !== undefined) {
    if (isPresent && decision.inDoubt === "resend") throw inputLost(stored, inputNow, "inDoubt");
    // A decision comes first: its result is reported before the missing file.
    if (!isPresent && stateOf(stored.account) === "unfinished") throw inputLost(stored, inputNow, "unsent");
  }
  const whyNotSent = inputNow && ((open: StoredRun) => inputLost(open, inputNow, "unsent"));
  const { table } = end.kept.shown;
  return tellEnd(resume, { run, id: book.table!, table, files: [begun.file] }, (tell, lock) =>
    settleHalted({ state, lock }, { run, inputNow, decision, whyNotSent }, tell),
  );
}

/** A run of which nothing is sent. */
interface QuietRun {
  readonly run: string;
  readonly id: TableId;
  readonly table?: string;
  readonly files?: readonly string[];
}

/** Works on a run under its table's lock and reports the state of the run; returns the exit code. */
async function tellEnd(
  { state, values, io }: Resume,
  { run, id, table = id.url, files = [] }: QuietRun,
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
function decideInLedger(resume: Resume, about: QuietRun, decision: InDoubt): Promise<number> {
  const { state } = resume;
  const { run } = about;
  return tellEnd(resume, about, async (tell, lock) => {
    const { book, prints } = (await findInBooks(state, run)) ?? {};
    if (book === undefined || prints?.doubt === undefined)
      throw new RecPushError("not-open", `the run ${run} is closed, and left nothing in doubt`);
    const { doubtful: records, doubt } = prints;
    const end = { ...notStarted(undefined), runs: [run], read: records };
    if (records === 0) {
      tell(`the doubt ${doubt} of the run ${run} was decided before: nothing is left to do`);
      return end;
    }
    const isMeant = decision.kind === "file" || decision.doubt === doubt;
    if (!isMeant || decision.kind === "file" || decision.answer === "resend") {
      tell(
        isMeant
          ? `the run ${run} is closed: it sends nothing any more, so nothing is decided`
          : `${decision.doubt} is not in doubt in the run ${run}, which is closed: nothing is decided`,
      );
      const open = { run, file: run, records, doubt, inputNow: "gone", left: 0 } as const;
      return { ...end, counts: { ...end.counts, inDoubt: records }, doubts: [open] };
    }
    const { answer } = decision;
    await book.append(lock, { entry: "decide", run, answer });
    const kept = await loadKept(state, run);
    if (kept !== undefined) await removeDoubtFiles(kept, undefined);
    const [fate, outcome] =
      answer === "applied" ? (["created", "accepted"] as const) : (["absent", "notSent"] as const);
    tell(
      `${showCount(records, "create")} of the run ${run} ${records === 1 ? "counts" : "count"} as ${fate}`,
    );
    return { ...end, counts: { ...end.counts, [outcome]: records } };
  });
}
