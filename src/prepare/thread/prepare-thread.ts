import { parentPort, workerData } from "node:worker_threads";
import { buildPlan } from "../../fields/record/field-plan.ts";
import { RecPushError } from "../../model/failure.ts";
import { fileSource } from "../../read/source/open-source.ts";
import { packRecords } from "../prepare-records.ts";
import type { FromThread, PrepareJob } from "./record-makers.ts";

// The second pass in a thread of its own: rows in, packed records out.
const port = parentPort;
if (port === null) throw new Error("this file runs in a thread of its own");

const say = (message: FromThread, transfer: readonly ArrayBuffer[] = []): void =>
  port.postMessage(message, [...transfer]);

/** How many more chunks may be handed over. */
let wanted = 0;
let wake: () => void = () => undefined;

// Each message asks for one more chunk.
port.on("message", () => {
  wanted += 1;
  wake();
});

async function prepare({ file, inspection, parts, suspects, options }: PrepareJob): Promise<void> {
  const plan = { ...buildPlan(parts), suspects };
  const input = { source: await fileSource(file), inspection, plan };
  for await (const chunk of packRecords(input, options)) {
    while (wanted === 0) await new Promise<void>((resolve) => (wake = resolve));
    wanted -= 1;
    say({ kind: "chunk", chunk }, [chunk.numbers.buffer, chunk.text.buffer]);
  }
}

async function work(): Promise<void> {
  try {
    await prepare(workerData as PrepareJob);
    say({ kind: "end" });
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { code, message, hint, place } = error;
    say({ kind: "failure", failure: { code, message, hint, place } });
  } finally {
    port!.close();
  }
}

// Not awaited at the top, which CommonJS does not support; an error ends the thread.
void work();
