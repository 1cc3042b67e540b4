import { parentPort } from "node:worker_threads";
import { buildPlan, readConstants } from "../../fields/record/field-plan.ts";
import { RecPushError } from "../../model/failure.ts";
import { fileSource } from "../../read/source/open-source.ts";
import { packRecords } from "../prepare-records.ts";
import { Outlet, type PrepareJob, type Say, type ToThread } from "./outlet.ts";

// The second pass in a thread of its own: rows in, packed records out.
const port = parentPort;
if (port === null) throw new Error("this file runs in a thread of its own");

const say: Say = (message, transfer = []) => port.postMessage(message, [...transfer]);

/** Of the latest job. */
let outlet: Outlet | undefined;
let begin: (job: PrepareJob) => void;
let nextJob = expectJob();

port.on("message", (message: ToThread) => {
  if (message === "next") outlet?.ask();
  else if ("freed" in message) outlet?.free(message.freed);
  else if ("memory" in message) outlet?.takeBack(message.memory);
  else {
    outlet = new Outlet(message.spill, say);
    begin(message);
  }
});

function expectJob(): Promise<PrepareJob> {
  return new Promise((resolve) => (begin = resolve));
}

async function prepare({ file, inspection, parts, options }: PrepareJob, to: Outlet): Promise<void> {
  const plan = buildPlan(parts, readConstants(parts.options));
  const input = { source: await fileSource(file), inspection, plan };
  for await (const chunk of packRecords(input, options, to.allocate)) await to.put(chunk);
}

async function work(): Promise<void> {
  try {
    for (let isFollowed = true; isFollowed;) {
      const job = await nextJob;
      nextJob = expectJob();
      await prepare(job, outlet!);
      say({ kind: "end" });
      ({ isFollowed } = job);
    }
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { kind, code, message, hint, place } = error;
    say({ kind: "failure", failure: { kind, code, message, hint, place } });
  } finally {
    port!.close();
  }
}

// Not awaited at the top, which CommonJS does not know; what it throws ends the thread with an error.
void work();
