import { parentPort, workerData } from "node:worker_threads";
import fc from "fast-check";
import { fuzzCases } from "./fuzz-case.ts";
import { judgeCase } from "./judge-case.ts";
import { judgeLength } from "./judge-length.ts";
import { loadBases } from "./load-bases.ts";
import type { FuzzOrder, FuzzReport } from "./report.ts";

const { seed, milliseconds, directories } = workerData as FuzzOrder;
const bases = loadBases(directories);
const bytesOf = new Map(bases.map(({ name, bytes }) => [name, bytes]));
const end = Date.now() + milliseconds;
let cases = 0;

const result = await fc.check(
  fc.asyncProperty(fuzzCases(bases), async (given) => {
    cases += 1;
    tell({ kind: "begins", cases, given });
    const bytes = bytesOf.get(given.base) ?? Buffer.alloc(0);
    await judgeCase(given, bytes);
    if (cases % 250 === 0) await judgeLength(given, bytes);
  }),
  {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: Math.max(1, end - Date.now()),
    markInterruptAsFailure: false,
  },
);
tell({
  kind: "ends",
  cases,
  failure:
    result.failed && result.counterexample !== null
      ? {
          given: result.counterexample[0],
          path: result.counterexamplePath ?? "",
          why: String(result.errorInstance),
        }
      : undefined,
});

function tell(report: FuzzReport): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(report);
}
