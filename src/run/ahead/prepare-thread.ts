import { writeSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { readConstants } from "../../fields/constant-values.ts";
import { buildPlan } from "../../fields/field-plan.ts";
import { RecPushError } from "../../model/failure.ts";
import type { PreparedRecord } from "../../model/record.ts";
import type { RowProblem } from "../../model/row.ts";
import { fileSource } from "../../read/file-source.ts";
import { prepareRecords } from "../prepare-records.ts";
import { streamRecords, type RowCount } from "../stream-records.ts";
import { packStretch, type Stretch } from "./pack-records.ts";
import type { CountedRows, FromThread, PrepareJob, Room, ToThread } from "./prepare-job.ts";

// The second pass in a thread of its own: rows in, packed records out.
const port = parentPort;
if (port === null) throw new Error("this file runs in a thread of its own");

/** Stretches asked for and not handed over. */
const demand = { wanted: 0, wake: (): void => undefined };
const job = new Promise<PrepareJob>((resolve) => {
  port.on("message", (message: ToThread) => {
    if (message !== "next") {
      resolve(message);
      return;
    }
    demand.wanted += 1;
    demand.wake();
  });
});

function say(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  port!.postMessage(message, [...transfer]);
}

/** Keeps stretches in the room until somebody waits for one, then hands them over as they are asked for. */
function createOutlet(room: Room | undefined): (stretch: Stretch, counted: CountedRows) => Promise<void> {
  let used = 0;
  let isKeeping = room !== undefined;
  let scratch = Buffer.alloc(0);
  const allocateAgain = (bytes: number): Buffer => {
    if (bytes > scratch.length) scratch = Buffer.allocUnsafeSlow(bytes * 2);
    return scratch.subarray(0, bytes);
  };

  /** False where there is no room. */
  function keep({ fd, maxBytes }: Room, stretch: Stretch, counted: CountedRows): boolean {
    const { layout, bytes } = packStretch(stretch, allocateAgain);
    if (used + bytes.length > maxBytes) return false;
    try {
      writeAll(fd, bytes, used);
    } catch {
      return false;
    }
    say({ kind: "kept", layout, counted, at: used });
    used += bytes.length;
    return true;
  }

  return async (stretch, counted) => {
    isKeeping = isKeeping && demand.wanted === 0 && keep(room!, stretch, counted);
    if (isKeeping) return;
    const { layout, bytes } = packStretch(stretch, (size) => Buffer.allocUnsafeSlow(size));
    while (demand.wanted === 0) await new Promise<void>((resolve) => (demand.wake = resolve));
    demand.wanted -= 1;
    say({ kind: "handed", layout, counted, bytes }, [bytes.buffer as ArrayBuffer]);
  };
}

function writeAll(fd: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

async function prepare({ file, inspection: sent, read, parts, stream, room }: PrepareJob): Promise<void> {
  // On their way buffers become plain arrays of bytes.
  const digests = sent.proof.digests.map((digest) => Buffer.from(digest));
  const inspection = { ...sent, proof: { ...sent.proof, digests } };
  const input = {
    source: await fileSource(file),
    inspection,
    plan: buildPlan(parts, readConstants(parts.options)),
  };
  const put = createOutlet(room);
  let problems: RowProblem[] = [];
  let counted = { read: 0, skipped: 0, rejected: 0 };
  const reject = (problem: RowProblem): void => void problems.push(problem);
  const count: RowCount = {
    addRead: (rows) => void (counted.read += rows),
    move: (outcome, rows) => void (counted[outcome] += rows),
  };

  async function putRecords(records: readonly PreparedRecord[]): Promise<void> {
    const stretch = { records, problems };
    const rows = counted;
    problems = [];
    counted = { read: 0, skipped: 0, rejected: 0 };
    await put(stretch, rows);
  }

  const chunks =
    stream === undefined ? prepareRecords(input, read, reject) : streamRecords(input, stream, count, reject);
  try {
    for await (const records of chunks) await putRecords(records);
  } finally {
    // What came up before it failed.
    await putRecords([]);
  }
}

try {
  await prepare(await job);
  say({ kind: "end" });
} catch (error) {
  if (!(error instanceof RecPushError)) throw error;
  const { kind, code, message, hint, place } = error;
  say({ kind: "failure", failure: { kind, code, message, hint, place } });
} finally {
  port.close();
}
