import type { ComparisonForm } from "../ledger/comparison-form.ts";
import type { Start } from "../ledger/decide-start.ts";
import type { RecordMakers } from "../prepare/thread/record-makers.ts";
import type { SendSession } from "../send/send-session.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { LedgerAnswer } from "./ask-ledger.ts";
import type { Books } from "./books.ts";
import type { PushRequest } from "./push-request.ts";
import type { RunControl } from "./run-inputs.ts";

/** How the inputs of a push start. */
export interface DecidedStarts {
  /** By input; empty if nothing is kept. */
  readonly starts: readonly Start[];
  /** By input: how its creates are compared with others. */
  readonly forms: readonly ComparisonForm[];
  /** By input: what the ledger says about its creates; `undefined` if all may be sent. */
  readonly answers: readonly (LedgerAnswer | undefined)[];
  /** The runs that are open on the table, as far as the command has got. */
  readonly openRuns: Set<string>;
  /** The runs whose rejects are still to be mended and pushed. */
  readonly unmended: ReadonlySet<string>;
  /** Rows to be sent, skipped or rejected in total; `undefined` if they were not counted. */
  readonly totalRows: number | undefined;
}

/** The state that all inputs of a push share. */
export interface Pushing extends DecidedStarts {
  readonly inputs: readonly SurveyedInput[];
  readonly request: PushRequest;
  readonly control: RunControl;
  readonly books: Books;
  readonly makers: RecordMakers;
  readonly openSession: () => Promise<SendSession>;
}
