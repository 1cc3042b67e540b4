import { Worker } from "node:worker_threads";
import type { FuzzCase } from "./fuzz-case.ts";
import type { FuzzOrder, FuzzReport } from "./report.ts";

/** No case takes this long, even on a busy machine. */
const HANG_MS = 120_000;

/** Reads mutated files in a worker until the time is over, and reports what it found; false after a failure. */
export async function mutateFiles(order: FuzzOrder, say: (text: string) => void): Promise<boolean> {
  const worker = new Worker(new URL("worker.js", import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 320 },
  });
  let given: FuzzCase | undefined;
  let cases = 0;
  let begun = Date.now();
  const failure = await new Promise<string | undefined>((resolve) => {
    const watchdog = setInterval(() => {
      if (Date.now() - begun > HANG_MS) end(`a case takes longer than ${HANG_MS / 1_000} s`);
    }, 1_000);
    const end = (why: string | undefined): void => {
      clearInterval(watchdog);
      resolve(why);
    };
    worker.on("message", (report: FuzzReport) => {
      begun = Date.now();
      cases = report.cases;
      if (report.kind === "begins") given = report.given;
      else if (report.failure === undefined) end(undefined);
      else {
        given = report.failure.given;
        end(`${report.failure.why}\npath ${report.failure.path}`);
      }
    });
    worker.on("error", (error) => end(`the worker died: ${error.stack ?? String(error)}`));
  });
  await worker.terminate();
  if (failure === undefined) {
    say(`${cases} mutated files, no failure`);
    return true;
  }
  say(`${cases} mutated files, 1 failure with seed ${order.seed}: ${failure}`);
  say(JSON.stringify(given, undefined, 2));
  return false;
}
