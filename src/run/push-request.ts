import type { SurveyReport } from "../model/event.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import type { AskedPlace } from "../finish/asked-place.ts";
import type { ResultsPlace } from "../finish/results.ts";
import type { SendSession } from "../send/send-session.ts";
import type { RunRequest } from "./run-inputs.ts";
import type { RunKeeping } from "./start-run.ts";

/** Some inputs for one table. */
export interface PushRequest extends RunRequest {
  /**
   * Called once the inputs are surveyed and there is something to send: if a file stops the run, no connection is
   * opened.
   */
  readonly openSession: () => Promise<SendSession>;
  /** `undefined`: nothing of the runs is kept (the sandbox in this process). */
  readonly keeping?: RunKeeping;
  /** Where the rejects of each input go, in the order of the files; the run's directory if no place is given. */
  readonly rejects?: readonly (AskedPlace | undefined)[];
  /** The options of the command line as words for `ledger add`, each with a space before it. */
  readonly ledgerWords?: string;
  /** The command that pushes a file of rows in the way in which its input is pushed, but for the options in `other`. */
  readonly commandFor?: (path: string, survey: SurveyReport, other?: OptionTexts) => string;
  /** Where the outcome of every row is written. */
  readonly results?: ResultsPlace | undefined;
}
