import { Readable } from "node:stream";
import { refuseOtherContent, refuseOtherRecords } from "../ledger/decide-start.ts";
import type { RecPushError } from "../model/failure.ts";
import type { PreparedRecord } from "../model/settlement.ts";
import { eachRecord } from "../prepare/stream.ts";
import type { RunAccount } from "../store/count-run.ts";
import { rangesOf } from "../store/number-ranges.ts";
import { beginning } from "../store/open-run.ts";
import type { JournalEntry } from "../store/journal.ts";
import { describeRecordPlan } from "../store/run-facts.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { comparisonOf } from "./change-ledger.ts";
import { runInputs, type RunRequest } from "./check.ts";

/** The entries with which a repaired journal goes on. */
export interface RestOfRun {
  readonly entries: readonly JournalEntry[];
  /** The creates that count as in doubt because of the damage. */
  readonly creates: number;
  /** Why there are none: the file is gone, or has changed. */
  readonly failure?: RecPushError | undefined;
}

/** Creates that one line of a journal announces. */
const MOST_ANNOUNCED = 1000;

/**
 * Reads the file of a run whose journal is damaged or lost, and announces each create without a certain outcome: it is then
 * in doubt, like those of a killed process. Updates are sent again.
 */
export async function announceRest(account: RunAccount, request: RunRequest): Promise<RestOfRun> {
  const { facts } = account;
  // It is uncertain which of its updates were sent after rows of an older run.
  const start: readonly JournalEntry[] =
    facts.olderRuns.length === 0 ? [beginning()] : [beginning(), { entry: "keysLost" }];
  if (account.settledOf("create") === facts.totals.creates) return { entries: start, creates: 0 };
  let rest: RestOfRun = { entries: [], creates: 0 };
  const { signal } = new AbortController();
  const quiet = {
    stdin: () => Readable.from([]),
    drain: signal,
    abort: signal,
    received: () => undefined,
    emit: () => undefined,
  };
  const { failure } = await runInputs(request, quiet, async ([input]) => {
    refuseOtherContent(facts, input!.source.name, input!.report.reading.fingerprint);
    refuseOtherRecords(facts, describeRecordPlan(input!, request.optionPlan));
    rest = await announce(input!, account, request.read);
    return undefined;
  });
  return { ...rest, entries: [...start, ...rest.entries], failure };
}

async function announce(
  input: SurveyedInput,
  account: RunAccount,
  read: RunRequest["read"],
): Promise<RestOfRun> {
  const { compared, createdBy } = account.facts;
  // The ledger is asked again which creates it leaves out.
  const entries: JournalEntry[] = account.leftOut > 0 ? [{ entry: "leftOut", creates: 0 }] : [];
  const form = comparisonOf(input.plan, undefined, compared);
  let [creates, batch] = [0, account.lastBatch];
  let waiting: { readonly record: Pick<PreparedRecord, "ordinal" | "line">; readonly print: Buffer }[] = [];
  const flush = (): void => {
    const [head] = waiting;
    if (head === undefined) return;
    creates += waiting.length;
    batch += 1;
    entries.push({
      entry: "intent",
      batch,
      kind: "create",
      ordinals: rangesOf(waiting.map(({ record }) => record.ordinal)),
      lines: [head.record.line, waiting.at(-1)!.record.line],
      prints: Buffer.concat(waiting.map(({ print }) => print)).toString("base64"),
    });
    waiting = [];
  };
  const options = { read, whyLeftOut: createdBy === undefined ? undefined : () => "created" as const };
  await eachRecord(input, options, ({ kind, ordinal, line, text, start, bytes }) => {
    if (kind !== "create" || account.standingOf(kind, ordinal) !== undefined) return;
    const print = Buffer.alloc(form.width);
    form.print(text, start, bytes, print, 0);
    waiting.push({ record: { ordinal, line }, print });
    if (waiting.length === MOST_ANNOUNCED) flush();
  });
  flush();
  return { entries, creates };
}
