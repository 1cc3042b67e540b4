import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import fc from "fast-check";
import { type FuzzCase, fuzzCases } from "./fuzz-case.ts";
import { judgeCase } from "./judge-case.ts";
import { judgeLength } from "./judge-length.ts";
import { loadBases } from "./load-bases.ts";

/** The worker's task. */
interface FuzzOrder {
  readonly seed: number;
  readonly milliseconds: number;
  /** The directories with the files that are mutated. */
  readonly directories: readonly string[];
}

/** The worker's messages: a case begins, or all have ended, with the reason of a failure. */
interface FuzzReport {
  readonly cases: number;
  readonly given?: FuzzCase | undefined;
  readonly hasEnded?: boolean;
  readonly why?: string;
}

/** No case takes this long, even on a busy machine. */
const HANG_MS = 120_000;

/** Reads mutated files in a worker until the time is over, and reports what it found; false after a failure. */
export async function mutateFiles(order: FuzzOrder, say: (text: string) => void): Promise<boolean> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 320 },
  });
  let last: FuzzReport = { cases: 0 };
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
      last = report;
      if (report.hasEnded) end(report.why);
    });
    worker.on("error", (error) => end(`the worker died: ${error.stack ?? String(error)}`));
  });
  await worker.terminate();
  if (failure === undefined) say(`${last.cases} mutated files, no failure`);
  else {
    say(`${last.cases} mutated files, 1 failure with seed ${order.seed}: ${failure}`);
    say(JSON.stringify(last.given, undefined, 2));
  }
  return failure === undefined;
}

async function mutate(tell: (report: FuzzReport) => void): Promise<void> {
  const { seed, milliseconds, directories } = workerData as FuzzOrder;
  const bases = loadBases(directories);
  const bytesOf = new Map(bases.map(({ name, bytes }) => [name, bytes]));
  let cases = 0;
  const property = fc.asyncProperty(fuzzCases(bases), async (given) => {
    cases += 1;
    tell({ cases, given });
    const bytes = bytesOf.get(given.base) ?? Buffer.alloc(0);
    await judgeCase(given, bytes);
    if (cases % 250 === 0) await judgeLength(given, bytes);
  });
  const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: Math.max(1, milliseconds),
    markInterruptAsFailure: false,
  });
  const why = `${String(errorInstance)}\npath ${counterexamplePath ?? ""}`;
  tell({ cases, hasEnded: true, ...(failed && counterexample && { given: counterexample[0], why }) });
}

if (!isMainThread) await mutate((report) => parentPort?.postMessage(report));
