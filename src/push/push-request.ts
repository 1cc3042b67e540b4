import type { DriftRule } from "../drift/find-drift.ts";
import type { AskedPlace } from "../files/kept-place.ts";
import type { ResultsPlace } from "../files/results.ts";
import type { RowEnds } from "../files/row-ends.ts";
import type { MendCommandOf, RowsFiles } from "../files/rows-files.ts";
import type { ExportsOptions } from "../ledger/exports-rule.ts";
import type { ToSend } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { RecordMakers } from "../prepare/thread/record-makers.ts";
import type { SendSession } from "../send/send-session.ts";
import type { Shard } from "../shards/open-shard.ts";
import type { DoubtDecision } from "../store/summarise-run.ts";
import type { TableLock } from "../store/held-lock.ts";
import type { RunFacts, RunIdentity } from "../store/run-facts.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { RunRequest } from "./check.ts";
import type { Tally } from "./tally-run.ts";

/** What becomes of the rows of a push: their numbers, their ends, and the files that are made of them. */
export interface PushOutputs {
  readonly tally: Tally;
  readonly ends: RowEnds;
  readonly files: RowsFiles;
  /** Those that make records, in threads. */
  readonly makers: RecordMakers;
}

/** Some inputs for one table. */
export interface PushRequest extends RunRequest {
  /**
   * Called once the inputs are surveyed and there is something to send: if a file stops the run, no connection is
   * opened.
   */
  readonly openSession: (areCreatesProven: boolean) => Promise<SendSession>;
  /** `undefined`: nothing of the runs is kept (the sandbox in this process). */
  readonly keeping?: RunKeeping;
  /** Where the rejects of each input go, in the order of the files; the run's directory if no place is given. */
  readonly rejects?: readonly (AskedPlace | undefined)[];
  /** Makes the command that pushes the rejects once they are mended. */
  readonly mendCommand?: MendCommandOf | undefined;
  /** The options of the command line as words for `ledger add`, each with a space before it. */
  readonly ledgerWords?: string;
  /** Asks a person, if there is one, before anything is sent; returns what stops the push. */
  readonly confirm?: ((toSend: ToSend) => Promise<RecPushError | undefined>) | undefined;
  /** Where the outcome of every row is written. */
  readonly results?: ResultsPlace | undefined;
}

/** Where runs are kept, and what their journals hold of a command. */
export interface RunKeeping extends ReadKeeping {
  /** The table's lock, which the command holds. */
  readonly lock: TableLock;
}

/** The part of {@link RunKeeping} that a command needs which only asks. */
export interface ReadKeeping {
  readonly state: StateDirectory;
  readonly target: Omit<RunIdentity, "content">;
  readonly facts: Pick<RunFacts, "program" | "table" | "options" | "declared" | "headerNames" | "queryNames">;
  /** The directory that relative paths start from. */
  readonly cwd: string;
  /** Records that were created before are created again (`--again`). */
  readonly again: boolean;
  /** Whether the files of the table hold the earlier rows again. */
  readonly exports: ExportsOptions;
  /** Rows are sent although they are overtaken (`--stale-ok`). */
  readonly staleOk: boolean;
  /** The rule for files that are unlike those before; `undefined` if they are not compared. */
  readonly drift?: DriftRule | undefined;
  /** The run to resume, if the user asks for one. */
  readonly resumed?: string | undefined;
  /** The user's decision on records in doubt. */
  readonly decision?: DoubtDecision | undefined;
  /** The shard of a plan that the command pushes: its runs are kept in the plan's directory. */
  readonly shard?: Shard | undefined;
  /** The name of the command's first run. */
  readonly command: string;
  /** Makes a name for a new run. */
  readonly nameRun: () => string;
}

/** The identity of an input's run. */
export function identityOf({ report }: SurveyedInput, { target }: Pick<ReadKeeping, "target">): RunIdentity {
  return { content: report.reading.fingerprint, ...target };
}

/** Does the work that is left after a run has ended; its error is reported only if nothing failed before. */
export async function andCleanUp(
  act: () => Promise<void>,
  before?: RecPushError,
): Promise<RecPushError | undefined> {
  try {
    await act();
    return before;
  } catch (error) {
    if (error instanceof RecPushError) return before ?? error;
    throw error;
  }
}
