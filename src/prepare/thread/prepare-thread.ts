import { writeSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { readConstants } from "../../fields/record/constant-values.ts";
import { buildPlan } from "../../fields/record/field-plan.ts";
import { RecPushError } from "../../model/failure.ts";
import { fileSource } from "../../read/source/file-source.ts";
import type { Packed } from "./pack-records.ts";
import type { CountedRows, FromThread, PrepareJob, Room, ToThread } from "./prepare-job.ts";
import { prepareStretches, type PutStretch } from "./prepare-stretches.ts";

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
function createOutlet(room: Room | undefined): PutStretch {
  let used = 0;
  let isKeeping = room !== undefined;
  let scratch = Buffer.alloc(0);
  const allocateAgain = (bytes: number): Buffer => {
    if (bytes > scratch.length) scratch = Buffer.allocUnsafeSlow(bytes * 2);
    return scratch.subarray(0, bytes);
  };

  /** False where there is no room. */
  function keep({ fd, maxBytes }: Room, { layout, bytes }: Packed, counted: CountedRows): boolean {
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

  return async (pack, counted) => {
    isKeeping = isKeeping && demand.wanted === 0;
    const { layout, bytes } = pack(isKeeping ? allocateAgain : (size) => Buffer.allocUnsafeSlow(size));
    if (isKeeping) {
      isKeeping = keep(room!, { layout, bytes }, counted);
      if (isKeeping) return;
    }
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
  const plan = buildPlan(parts, readConstants(parts.options));
  const input = { source: await fileSource(file), inspection, plan };
  await prepareStretches(input, read, stream, createOutlet(room));
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
