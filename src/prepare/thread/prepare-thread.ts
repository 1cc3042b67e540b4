import { parentPort, workerData } from "node:worker_threads";
import { buildPlan, readConstants } from "../../fields/record/field-plan.ts";
import { ByteMemory } from "../../model/byte-memory.ts";
import { RecPushError } from "../../model/failure.ts";
import { fileSource } from "../../read/source/open-source.ts";
import { readUnproven } from "../../read/read-rows.ts";
import { packRows } from "../prepare-records.ts";
import type { FromThread, PrepareJob, ToThread } from "./record-makers.ts";

// The second pass in a thread of its own: rows in, packed records out.
const port = parentPort;
if (port === null) throw new Error("this file runs in a thread of its own");

const say = (message: FromThread, transfer: readonly ArrayBuffer[] = []): void =>
  port.postMessage(message, [...transfer]);

/** How many more chunks may be handed over. */
let wanted = 0;
let wake: () => void = () => undefined;
const memory = new ByteMemory();

port.on("message", (message: ToThread) => {
  if (message === "next") {
    wanted += 1;
    wake();
  } else memory.giveBack(Buffer.from(message.memory));
});

/** Of the blocks that were read since the last message. */
const codes: Buffer[] = [];
const takeCodes = (): Uint8Array => Buffer.concat(codes.splice(0));

async function prepare({ file, soFar, blocks, parts, options }: PrepareJob): Promise<void> {
  const plan = buildPlan(parts, readConstants(parts.options));
  const rows = readUnproven(await fileSource(file), soFar, blocks, options.read, (code) => codes.push(code));
  for await (const { layout, bytes } of packRows(rows, plan, options.createsOnly === true, memory.allocate)) {
    while (wanted === 0) await new Promise<void>((resolve) => (wake = resolve));
    wanted -= 1;
    say({ kind: "chunk", codes: takeCodes(), layout, bytes }, [bytes.buffer as ArrayBuffer]);
  }
}

async function work(): Promise<void> {
  try {
    await prepare(workerData as PrepareJob);
    say({ kind: "end", codes: takeCodes() });
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { kind, code, message, hint, place } = error;
    say({ kind: "failure", codes: takeCodes(), failure: { kind, code, message, hint, place } });
  } finally {
    port!.close();
  }
}

// Not awaited at the top, which CommonJS does not know; what it throws ends the thread with an error.
void work();
