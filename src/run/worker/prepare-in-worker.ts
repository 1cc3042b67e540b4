import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { RecPushError } from "../../model/failure.ts";
import type { PreparedRecord } from "../../model/record.ts";
import type { RowProblem } from "../../model/row.ts";
import type { ReadOptions } from "../../read/read-options.ts";
import { prepareRecords } from "../prepare-records.ts";
import { streamRecords, type RowCount, type StreamSettings } from "../stream-records.ts";
import type { SurveyedInput } from "../survey-input.ts";
import type { CountedRows, FailureData, PackedRecords, PrepareJob, WorkerMessage } from "./prepare-job.ts";

/** Starting a thread takes as long as preparing so many bytes. */
const WORTH_A_THREAD_BYTES = 4 * 1024 * 1024;

/** Heaps of a worker, in MB: what it makes is short-lived, and without bounds it would take as much as the main thread. */
const LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 };

/** How the records of an input are made ready. */
export interface Preparing {
  readonly read: ReadOptions;
  /** With `--no-survey`. */
  readonly stream: StreamSettings | undefined;
}

/**
 * The pass that makes the records to send: for a large input in a thread of its own, so that this one is free to send.
 * The worker's file stands beside this module in the built program only.
 */
export function readyRecords(
  input: SurveyedInput,
  { read, stream }: Preparing,
  tally: RowCount,
  onReject: (problem: RowProblem) => void,
): AsyncGenerator<readonly PreparedRecord[]> {
  const { source, inspection, plan, repeated } = input;
  const { fd, bytes, name } = source;
  const isBuilt = import.meta.url.endsWith(".js");
  if (fd !== undefined && bytes >= WORTH_A_THREAD_BYTES && repeated === undefined && isBuilt) {
    const { origin, footer } = plan;
    const file = { fd, name, bytes };
    return prepareInWorker({ file, inspection, read, stream, origin, footer }, tally, onReject);
  }
  return stream === undefined
    ? prepareRecords(input, read, onReject)
    : streamRecords(input, stream, tally, onReject);
}

async function* prepareInWorker(
  job: PrepareJob,
  tally: RowCount,
  onReject: (problem: RowProblem) => void,
): AsyncGenerator<readonly PreparedRecord[]> {
  const worker = new Worker(new URL("./prepare-worker.js", import.meta.url), {
    workerData: job,
    resourceLimits: LIMITS,
  });
  const messages: WorkerMessage[] = [];
  let fault: unknown;
  let hasEnded = false;
  let wake: () => void = () => undefined;
  worker.on("message", (message: WorkerMessage) => {
    messages.push(message);
    wake();
  });
  worker.on("error", (error) => {
    fault = error;
    wake();
  });
  worker.on("exit", () => {
    hasEnded = true;
    wake();
  });
  try {
    for (;;) {
      const message = messages.shift();
      if (message === undefined) {
        if (fault !== undefined) throw fault;
        if (hasEnded) throw new Error("the thread that prepares the records ended without a word");
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      if (message.kind === "end") return;
      if (message.kind === "failure") throw failureOf(message.failure);
      count(message.counted, tally);
      message.problems.forEach(onReject);
      if (message.records.jsons.length > 0) yield unpack(message.records);
      worker.postMessage("next");
    }
  } finally {
    if (!hasEnded) {
      const exit = once(worker, "exit");
      await worker.terminate();
      await exit;
    }
  }
}

function count({ read, skipped, rejected }: CountedRows, tally: RowCount): void {
  if (read === 0) return;
  tally.addRead(read);
  tally.move("skipped", skipped);
  tally.move("rejected", rejected);
}

function unpack({ lines, rows, ordinals, sizes, keys, jsons }: PackedRecords): PreparedRecord[] {
  return jsons.map((json, at) => ({
    line: lines[at] as number,
    key: keys[at],
    row: rows[at] as number,
    ordinal: ordinals[at] as number,
    json,
    bytes: sizes[at] as number,
  }));
}

function failureOf({ kind, code, message, hint, place }: FailureData): RecPushError {
  return new RecPushError(kind, code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  });
}
