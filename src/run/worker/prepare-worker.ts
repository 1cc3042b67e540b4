import { parentPort, workerData } from "node:worker_threads";
import { readConstants } from "../../fields/constant-values.ts";
import { buildPlan } from "../../fields/field-plan.ts";
import { RecPushError } from "../../model/failure.ts";
import type { PreparedRecord } from "../../model/record.ts";
import type { RowProblem } from "../../model/row.ts";
import { openFdSource } from "../../read/fd-source.ts";
import { prepareRecords } from "../prepare-records.ts";
import { streamRecords } from "../stream-records.ts";
import type { PackedRecords, PrepareJob, WorkerMessage } from "./prepare-job.ts";

/** Chunks that wait for the other thread. */
const MOST_AHEAD = 4;

// The second pass in a thread of its own: rows in, records out.
const port = parentPort;
if (port === null) throw new Error("this file runs in a worker");
/** Chunks handed over that nobody has taken yet. */
const flow = { ahead: 0, wake: (): void => undefined };
port.on("message", () => {
  flow.ahead -= 1;
  flow.wake();
});

const say = (message: WorkerMessage, transfer: readonly ArrayBuffer[] = []): void =>
  port.postMessage(message, [...transfer]);

let problems: RowProblem[] = [];
let counted = { read: 0, skipped: 0, rejected: 0 };

/** Hands over records and what has come up since the last ones; waits where too many wait already. */
async function hand(records: readonly PreparedRecord[]): Promise<void> {
  const packed = pack(records);
  const { lines, rows, ordinals, sizes } = packed;
  const transfer = [lines.buffer, rows.buffer, ordinals.buffer, sizes.buffer] as ArrayBuffer[];
  say({ kind: "chunk", records: packed, problems, counted }, transfer);
  problems = [];
  counted = { read: 0, skipped: 0, rejected: 0 };
  flow.ahead += 1;
  while (flow.ahead >= MOST_AHEAD) await new Promise<void>((resolve) => (flow.wake = resolve));
}

async function prepare({ file, inspection: sent, read, stream, origin, footer }: PrepareJob): Promise<void> {
  // On their way buffers become plain arrays of bytes.
  const digests = sent.proof.digests.map((digest) => Buffer.from(digest));
  const inspection = { ...sent, proof: { ...sent.proof, digests } };
  const source = await openFdSource(file);
  const input = { source, inspection, plan: buildPlan(origin, readConstants(origin.options), footer) };
  const reject = (problem: RowProblem): void => void problems.push(problem);
  const count = {
    addRead: (rows: number): void => void (counted.read += rows),
    move: (outcome: "rejected" | "skipped", rows: number): void => void (counted[outcome] += rows),
  };
  const records =
    stream === undefined ? prepareRecords(input, read, reject) : streamRecords(input, stream, count, reject);
  for await (const chunk of records) await hand(chunk);
}

try {
  try {
    await prepare(workerData as PrepareJob);
  } finally {
    await hand([]);
  }
  say({ kind: "end" });
} catch (error) {
  if (!(error instanceof RecPushError)) throw error;
  const { kind, code, message, hint, place } = error;
  say({ kind: "failure", failure: { kind, code, message, hint, place } });
} finally {
  port.close();
}

function pack(records: readonly PreparedRecord[]): PackedRecords {
  return {
    lines: Float64Array.from(records, ({ line }) => line),
    rows: Float64Array.from(records, ({ row }) => row),
    ordinals: Float64Array.from(records, ({ ordinal }) => ordinal),
    sizes: Float64Array.from(records, ({ bytes }) => bytes),
    keys: records.map(({ key }) => key),
    jsons: records.map(({ json }) => json),
  };
}
