import type { OpenRun } from "../journal/open-run.ts";
import type { RunAccount } from "../journal/run-account.ts";
import type { RecPushError } from "../model/failure.ts";
import type { DoubtfulBatch } from "../model/idempotency-key.ts";
import type { RecordList } from "../model/record-list.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../prepare/select.ts";
import { endOfLife, isAlive } from "../send/idempotency-key.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { Pushing } from "./pushing.ts";

/**
 * Sends again what an earlier process left in doubt, as the same bytes, under keys that the service still knows;
 * returns what stopped it. Their announcements remain valid, so that a crash changes nothing: a create that gets no
 * clear answer stays in doubt.
 */
export async function repeatDoubt(
  input: SurveyedInput,
  run: OpenRun,
  { request, openSession, control }: Pushing,
): Promise<RecPushError | undefined> {
  const { keyTtlMs: ttlMs, read } = request;
  if (ttlMs === undefined) return undefined;
  const alive = run.account.keyedDoubts.filter(({ key }) => isAlive(key, ttlMs, Date.now()));
  const doubtful = new Map<number, DoubtfulBatch>();
  for (const batch of alive)
    for (const [first, last] of batch.ordinals)
      for (let ordinal = first; ordinal <= last; ordinal++) doubtful.set(ordinal, batch);
  if (doubtful.size === 0) return undefined;
  const { drain, abort, emit } = control;
  const file = input.source.name;
  const session = await openSession();
  const { failure } = await session.send(recordsOf(input, { read }, doubtful), {
    drain,
    abort,
    doubtful,
    beforeRequest: (kind) => run.beforeRequest(kind),
    firstBatch: run.account.lastBatch + 1,
    onWaiting: (waiting) => emit({ kind: "waiting", ...waiting }),
    onRequest: (change) => emit({ kind: "request", change }),
    onSettled: async (settled) => {
      const isKnown = settled.outcome !== "inDoubt";
      const { told, stop } = isKnown ? await run.settle(settled) : { told: settled };
      emit({ kind: "settled", file, settled: told });
      if (stop !== undefined) throw stop;
    },
  });
  return failure;
}

/**
 * Until when the doubt of a run can be sent again under its keys, in milliseconds since 1970; `undefined` if it cannot.
 */
export function repeatableUntil({ keyedDoubts }: RunAccount, ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined) return undefined;
  const alive = keyedDoubts.filter(({ key }) => isAlive(key, ttlMs, Date.now()));
  return alive.length === 0 ? undefined : Math.min(...alive.map(({ key }) => endOfLife(key, ttlMs)));
}

async function* recordsOf(
  input: SurveyedInput,
  options: Parameters<typeof prepareRecords>[1],
  doubtful: ReadonlyMap<number, DoubtfulBatch>,
): AsyncGenerator<RecordList> {
  let missing = doubtful.size;
  for await (const { records } of selectRecords(prepareRecords(input, options), selectionOf(input))) {
    const wanted = records.filter(({ key, ordinal }) => key === undefined && doubtful.has(ordinal));
    missing -= wanted.length;
    if (wanted.length > 0) yield wanted;
    if (missing === 0) return;
  }
}
