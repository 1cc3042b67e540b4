import { join, resolve } from "node:path";
import { noteWritten, saidPlace } from "../files/kept-place.ts";
import type { Start } from "../ledger/decide-start.ts";
import { noteBegun, runOf, shardFacts } from "../shards/open-shard.ts";
import { bookOf } from "../store/find-books.ts";
import { OpenRun } from "../store/open-run.ts";
import { describeRecordPlan, type RunFacts } from "../store/run-facts.ts";
import { INPUT_COPY } from "../store/summarise-run.ts";
import type { RunControl } from "./check.ts";
import type { DecidedInput } from "./decide-inputs.ts";
import { identityOf, type PushRequest, type RunKeeping } from "./push-request.ts";
import { takenBy } from "./rejects-origin.ts";
import { tellOf } from "./start-inputs.ts";

/** What a run that begins has to know of its command. */
interface BeginningOf {
  readonly request: PushRequest;
  readonly keeping: RunKeeping;
  /** The command that the run belongs to. */
  readonly command: string;
  /** The runs that are open on the table, or whose rejects are still to be mended and pushed. */
  readonly olderRuns: readonly string[];
  readonly figures: RunFacts["figures"];
}

/** Begins a run for an input. `createdBy`: the run that created its creates, which are then left out. */
export async function beginRun(
  { input, at, form, origins }: DecidedInput,
  createdBy: string | undefined,
  { request, keeping, command, olderRuns, figures }: BeginningOf,
): Promise<OpenRun> {
  const { source, report } = input;
  const { shard } = keeping;
  const book = await bookOf(keeping.state, keeping.target);
  const rejects = saidPlace(request.rejects?.[at]);
  const identifiedBy = keeping.exports.identity;
  const { rows, invalid, skipped, superseded, updates, creates } = report.counts;
  const leftOut = createdBy === undefined ? 0 : creates;
  const facts: RunFacts = {
    ...keeping.facts,
    run: shard === undefined ? keeping.nameRun() : runOf(shard, report.reading.fingerprint),
    command,
    startedAt: new Date().toISOString(),
    olderRuns,
    identity: identityOf(input, keeping),
    file: source.name,
    // A shard has its part, wherever the input is.
    ...(source.keep === undefined && shard === undefined ? { path: resolve(keeping.cwd, source.name) } : {}),
    ...(rejects === undefined ? {} : { rejects }),
    ...(identifiedBy === undefined ? {} : { identifiedBy }),
    plan: describeRecordPlan(input, request.optionPlan),
    compared: form!.comparedAs,
    ...(keeping.again ? { again: true } : {}),
    ...(origins === undefined ? {} : { rowsOf: origins.runs, takes: takenBy(origins, book) }),
    ...(shard === undefined ? {} : { shard: shardFacts(shard) }),
    ...(createdBy === undefined ? {} : { createdBy }),
    totals: {
      read: rows,
      rejected: invalid,
      // The rows with nothing to send, or nothing that the push asks for.
      skipped: skipped + superseded + leftOut,
      updates,
      creates: creates - leftOut,
    },
    figures,
  };
  const run = await OpenRun.begin(keeping, facts, async (directory) =>
    source.keep?.(join(directory, INPUT_COPY)),
  );
  if (shard !== undefined) await noteBegun(shard, facts.run);
  return run;
}

/** Takes up the run that an input goes on with, and notes the user's decision on what it has in doubt. */
export async function resumeRun(
  { input }: DecidedInput,
  { stored, decision }: Start & { readonly kind: "resume" },
  keeping: RunKeeping,
  emit: RunControl["emit"],
): Promise<OpenRun> {
  const run = await OpenRun.resume(keeping, stored);
  const undecided = decision && (await run.decide(decision));
  if (undecided !== undefined) tellOf(input, emit)(undecided);
  else if (decision?.file !== undefined) {
    const { path, sha256 } = decision.file;
    // So that it is removed once its rows are sent, although a person has changed it.
    await noteWritten(keeping, { runs: [run.name], path, sha256 });
  }
  return run;
}
