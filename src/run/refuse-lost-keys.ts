import type { Profile } from "../drift/profile.ts";
import { formatDate } from "../fields/date/calendar.ts";
import { KEY_FIELD } from "../fields/columns/known-fields.ts";
import type { CreateCounts } from "../ledger/exports-rule.ts";
import type { LedgerSource } from "../ledger/ledger-sources.ts";
import { RecPushError } from "../model/failure.ts";
import { showCount } from "../model/quantities.ts";
import { isTabular } from "../model/reading.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { isRowsFile } from "./rejects-origin.ts";
import type { RunKeeping } from "./start-run.ts";

/** An earlier push that sent updates, and perhaps creates. */
interface Earlier {
  readonly file: string;
  /** As `2016-07-05`. */
  readonly day: string;
  readonly updates: number;
}

/**
 * Throws an input error if an input without keys holds the creates of an earlier push again, one that sent updates too:
 * the rows of these updates would be created. `sharing`: the sources that hold some of its creates. A column of keys may
 * be empty for once where few rows had keys, or a single one. `--only creates` says that the input needs none.
 */
export async function refuseLostKeys(
  input: SurveyedInput,
  { creates, fresh }: CreateCounts,
  sharing: readonly LedgerSource[],
  keeping: RunKeeping,
): Promise<void> {
  const { plan, report } = input;
  const source = sharing.findLast(({ updates = 0 }) => updates > 0);
  if (source === undefined || fresh === 0 || mayLackKeys(input)) return;
  const { file, startedAt, updates = 0 } = source;
  const isGone = !plan.fields.some(({ field }) => field === KEY_FIELD);
  const isEmpty = report.counts.updates === 0 && updates > 1 && updates >= creates - fresh;
  if (2 * fresh < updates || !(isGone || isEmpty) || (await isRowsFile(input, keeping))) return;
  throw keysLost(input, isGone, { file, day: startedAt.slice(0, 10), updates });
}

/**
 * Throws an input error if a file has lost its column of keys since the last push of a file of its name, so that the
 * records which that one updated would be created.
 */
export function refuseLostColumn(input: SurveyedInput, before: readonly Profile[]): void {
  const { source, plan, report } = input;
  const { creates } = report.counts;
  const isGone = isTabular(report.reading.format) && !plan.headers.includes(KEY_FIELD);
  if (!isGone || plan.fields.some(({ field }) => field === KEY_FIELD) || mayLackKeys(input)) return;
  // `<stdin>`, or what a program gave, is no name of a file.
  if (/^<.*>$/.test(source.name)) return;
  const last = before.findLast(({ file }) => file === source.name);
  if (last === undefined || last.updates === 0 || 2 * creates < last.updates) return;
  throw keysLost(input, true, { ...last, day: formatDate(last.day) });
}

function mayLackKeys({ plan }: SurveyedInput): boolean {
  return plan.parts.options.only === "creates" || plan.constants.has(KEY_FIELD);
}

function keysLost({ source: { name } }: SurveyedInput, isGone: boolean, earlier: Earlier): RecPushError {
  const { file, day, updates } = earlier;
  const what = isGone ? `no column goes to the key ${KEY_FIELD}` : `no row has a key ${KEY_FIELD}`;
  const others = updates === 1 ? "the record" : `the ${showCount(updates, "record")}`;
  return new RecPushError(
    "input",
    "keys-lost",
    `${name}: ${what}, and ${file}, pushed on ${day}, had keys: ${others} that it updated would be created a second time`,
    {
      hint: `${isGone ? `--map COLUMN=${KEY_FIELD} names the column` : "check that column in the file"}; --only creates, if the rows are new records`,
      place: { file: name },
    },
  );
}
