import { isAbsolute, join, resolve } from "node:path";
import type { Counts } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import type { RecordPlan } from "./journal/record-plan.ts";
import type { RunFacts, RunIdentity } from "./journal/run-facts.ts";
import { decideStart, refuseOtherContent, refuseOtherRecords, type Start } from "./state/decide-start.ts";
import { INPUT_COPY } from "./state/run-store.ts";
import { OpenRun } from "./state/open-run.ts";
import { findRun } from "./state/find-runs.ts";
import type { StateDirectory } from "./state/state-directory.ts";
import type { SurveyedInput } from "./survey-input.ts";

/** Where runs are kept, and what of a command their journals hold. */
export interface RunKeeping {
  readonly state: StateDirectory;
  readonly target: Omit<RunIdentity, "content">;
  readonly facts: Pick<RunFacts, "program" | "table" | "options" | "declared" | "headerNames" | "queryNames">;
  /** Where relative paths begin. */
  readonly cwd: string;
  /** Content that was pushed before is pushed again (`--again`). */
  readonly again: boolean;
  /** A run that is taken up sends its values although a later one sent others since (`--stale-ok`). */
  readonly staleOk: boolean;
  /** The run to go on with, where the user asks for one. */
  readonly resumed?: string | undefined;
  /** What the user says of the records in doubt. */
  readonly inDoubt?: "applied" | "resend" | undefined;
  /** A name for a new run. */
  readonly nameRun: () => string;
  readonly exitCodeOf: (end: {
    readonly counts: Counts;
    readonly failure: RecPushError | undefined;
  }) => number;
}

/** How an input starts, before anything of the command is sent. Throws usage where it must not. */
export async function startOf(input: SurveyedInput, keeping: RunKeeping, plan: RecordPlan): Promise<Start> {
  const identity = identityOf(input, keeping);
  const start: Start =
    keeping.resumed === undefined
      ? await decideStart(keeping.state, identity, keeping.again)
      : { kind: "resume", stored: await findRun(keeping.state, keeping.resumed) };
  if (start.kind === "resume") {
    refuseOtherContent(start.stored, input.source.name, identity.content);
    refuseOtherRecords(start.stored, plan);
  }
  return start;
}

/** Makes the run of an input, or takes it up; `olderRuns` are open on the table now. */
export async function openRun(
  input: SurveyedInput,
  start: Exclude<Start, { kind: "leftOut" }>,
  keeping: RunKeeping,
  plan: RecordPlan,
  olderRuns: Iterable<string>,
): Promise<OpenRun> {
  if (start.kind === "resume") {
    const run = await OpenRun.resume(start.stored);
    if (keeping.inDoubt !== undefined) await run.decide(keeping.inDoubt);
    return run;
  }
  const { source, report } = input;
  const file = source.name;
  const path = isAbsolute(file) ? file : resolve(keeping.cwd, file);
  const { rows, invalid, skipped, superseded = 0, updates, creates } = report;
  const totals = { read: rows, rejected: invalid, skipped: skipped + superseded, updates, creates };
  const facts: RunFacts = {
    version: 1,
    ...keeping.facts,
    run: keeping.nameRun(),
    startedAt: new Date().toISOString(),
    olderRuns: [...olderRuns],
    identity: identityOf(input, keeping),
    file,
    ...(source.keep === undefined ? { path } : {}),
    plan,
    ...(report.isStreamed === true ? {} : { totals }),
  };
  return OpenRun.begin(keeping.state, facts, async (directory) => source.keep?.(join(directory, INPUT_COPY)));
}

function identityOf({ report }: SurveyedInput, { target }: RunKeeping): RunIdentity {
  return { content: report.reading.fingerprint, ...target };
}
