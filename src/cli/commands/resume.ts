import { exportsOf } from "../exports-options.ts";
import { join } from "node:path";
import type { DeclaredField } from "../../fields/field-options.ts";
import { spellPivot, USUAL_PIVOT } from "../../fields/date/two-digit-year.ts";
import { RecPushError } from "../../model/failure.ts";
import type { RunEvent } from "../../model/event.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { given } from "../../options/given.ts";
import { handedOnTexts } from "../../options/kept-texts.ts";
import { readValues } from "../../options/read-values.ts";
import type { OptionValues } from "../../options/table.ts";
import { decisionOn } from "../../journal/decide-doubt.ts";
import { findClosedDoubt, settleClosedDoubt } from "../../ledger/settle-closed-doubt.ts";
import { EXIT } from "../../model/exit-code.ts";
import { withLock } from "../../run/abandon-run.ts";
import { settleDoubt } from "../../run/settle-doubt.ts";
import { findOpenRuns, findRun } from "../../journal/find-runs.ts";
import { hasUsualPivot } from "../../journal/record-plan.ts";
import { INPUT_COPY, listRuns, stateOf, type StoredRun } from "../../journal/run-store.ts";
import { openState } from "../../journal/open-state.ts";
import type { StateDirectory } from "../../state/state-directory.ts";
import type { Target } from "../../send/target.ts";
import type { Io } from "../io.ts";
import { checkNamesOfPairs, checkQueryValues } from "../kept-names.ts";
import type { CommandLine } from "../program.ts";
import { columnsIn } from "../config/apply-config.ts";
import { readRunRequest } from "../run-settings.ts";
import { sendFiles } from "../sending.ts";
import { stateRoot } from "../state-settings.ts";
import { withTableLock } from "../table-locking.ts";
import { tellEnd } from "../tell-end.ts";
import { readTarget } from "../target-settings.ts";

/** Goes on with an open run: sends the records that are certainly not applied; the user decides on those in doubt. */
export async function runResume({ files, options }: CommandLine, io: Io): Promise<number> {
  const line = { texts: options, values: readValues(options) };
  const state = await openState(stateRoot(line.values, io));
  const { inDoubt } = line.values;
  const [name] = files;
  // Of a run that was pruned the ledger still knows what it left in doubt.
  if (name !== undefined && (inDoubt === "applied" || inDoubt === "absent")) {
    const pruned = (await listRuns(state)).includes(name) ? undefined : await findClosedDoubt(state, name);
    if (pruned !== undefined) return resumeClosed(state, name, pruned.facts.target.url, inDoubt, io);
  }
  return resumeRun(state, await findRun(state, name), line, io);
}

/** Resumes the open runs on a target's table, the oldest first, until one does not end; gives the last exit code. */
export async function resumeOpenRuns(
  state: StateDirectory,
  target: Target,
  options: OptionTexts,
  io: Io,
): Promise<number> {
  let code = 0;
  const texts = handedOnTexts(options);
  const line = { texts, values: readValues(texts) };
  for (const stored of await findOpenRuns(state, target.origin + target.path)) {
    code = await resumeRun(state, stored, line, io);
    if (code !== 0 && code !== 4) break;
  }
  return code;
}

/** The user's word on what a run left in doubt that is closed: the ledger alone still knows of it. */
async function resumeClosed(
  state: StateDirectory,
  run: string,
  url: string,
  answer: "applied" | "absent",
  io: Io,
): Promise<number> {
  return withLock(state, url, url, async () => {
    const file = await findClosedDoubt(state, run);
    if (file === undefined)
      throw new RecPushError("usage", "not-open", `the run ${run} is closed, and left nothing in doubt`);
    await settleClosedDoubt(state, file, answer);
    const fate =
      answer === "applied" ? "count as created" : "are forgotten: a push that holds them creates them";
    io.stdout.write(`${file.facts.doubtful} creates of the run ${run} ${fate}\n`);
    return EXIT.ok;
  });
}

/** The options of the resume itself. */
interface Line {
  readonly texts: OptionTexts;
  readonly values: OptionValues;
}

async function resumeRun(state: StateDirectory, stored: StoredRun, line: Line, io: Io): Promise<number> {
  const { facts, account, run, directory } = stored;
  const { inDoubt, staleOk = false, tokenFile, waitLock = 0 } = line.values;
  const runState = stateOf(account);
  if (runState === "abandoned") {
    if (inDoubt === "applied" || inDoubt === "absent")
      return resumeClosed(state, run, facts.identity.url, inDoubt, io);
    throw new RecPushError("usage", "abandoned-run", `the run ${run} was given up`, {
      hint: "push its file again: what it created stays, so look at it before adding --again",
    });
  }
  // The user decided on the records in doubt now, not on those of a later state.
  const decision = inDoubt && decisionOn(stored, inDoubt);
  // If nothing is left to send, neither the file nor a token is needed.
  const isSent = runState === "finished" || (runState === "unsettled" && inDoubt !== "resend");
  if (isSent) {
    refuseFiles(line.values, run);
    const { url } = facts.identity;
    const end = (emit: (event: RunEvent) => void, fence: number) =>
      settleDoubt({ state, fence }, run, decision, (text) =>
        emit({ kind: "notice", notice: { text }, isAlwaysShown: true }),
      );
    return tellEnd(
      { state, values: line.values, run, url, table: facts.table, files: [facts.file] },
      end,
      io,
    );
  }
  const notices: string[] = [];
  // Known even if the file can no longer be read; sending again needs it.
  const isDecided = decision !== undefined && inDoubt !== "resend";
  if (isDecided) {
    const { url } = facts.identity;
    const drain = new AbortController().signal;
    const { failure } = await withTableLock(state, { url, table: facts.table }, waitLock, drain, (fence) =>
      settleDoubt({ state, fence }, run, decision, (text) => notices.push(text)),
    );
    if (failure !== undefined) throw failure;
    const fate = inDoubt === "applied" ? "count as created" : "are forgotten";
    notices.push(`the records that the run ${run} had in doubt ${fate}; now for those that it has not sent`);
  }
  const before = hasUsualPivot(facts) ? { pivotYear: spellPivot(USUAL_PIVOT) } : {};
  const merged: OptionTexts = { ...before, ...facts.options, ...line.texts };
  checkNamesOfPairs(facts, merged);
  const declared = new Map(Object.entries(facts.declared)) as ReadonlyMap<string, DeclaredField>;
  const path = facts.path ?? join(directory, INPUT_COPY);
  const kept = readValues(merged);
  const request = {
    // Judged as on the day it began: a later day might take a year for certain that was open then.
    ...readRunRequest(
      [path],
      // What the file lacks was told when the run began.
      { values: kept, declared, configured: new Set(), configColumns: new Set(columnsIn(kept)) },
      new Date(facts.startedAt),
    ),
    isPinned: false,
    nameOf: () => (facts.path === undefined ? "<stdin>" : facts.file),
  };
  // The token file of the run comes below the environment: a newer token is more likely there.
  const onLine = given({ ...kept, tokenFile });
  const target = await readTarget(onLine, facts.table, io.env, undefined, {
    ...given({ tokenFile: readValues(facts.options).tokenFile, tokenEnv: kept.tokenEnv }),
    from: `the run ${run}`,
    notice: (text) => notices.push(text),
  });
  checkQueryValues(facts, target.queryHash);
  const runKey = facts.identity.runKey ?? undefined;
  const exports = exportsOf(kept);
  const keeping = {
    state,
    facts,
    cwd: io.cwd,
    again: false,
    exports,
    staleOk,
    runKey,
    resumed: run,
    decision: isDecided ? undefined : decision,
  };
  const asTyped = given({ ...merged, table: facts.table, runKey });
  const sending = { values: kept, request, line: asTyped, merged, target, notices, keeping };
  // Without somebody to ask it is an exit code.
  return (await sendFiles(sending, io)) as number;
}

/** Throws usage if a file is asked for that only another reading of the input could fill. */
function refuseFiles({ rejects, results }: OptionValues, run: string): void {
  const asked = Object.entries({ "--rejects": rejects, "--results": results })
    .filter(([, file]) => file !== undefined)
    .map(([option]) => option);
  if (asked.length === 0) return;
  throw new RecPushError(
    "usage",
    "nothing-to-send",
    `nothing of the run ${run} is left to send, so its file is not read again for ${asked.join(" and ")}`,
    { hint: `leave ${asked.join(" and ")} out` },
  );
}
