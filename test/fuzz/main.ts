import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { FuzzCase } from "./fuzz-case.ts";
import type { FuzzOrder, FuzzReport } from "./report.ts";

/** No case is long enough to take that long, on a busy machine either. */
const HANG_MS = 120_000;

const { values } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" }, corpus: { type: "string" } },
});
const order: FuzzOrder = {
  seed: Number(values.seed ?? Date.now() % 1_000_000_000) | 0,
  milliseconds: Number(values.minutes ?? 1) * 60_000,
  directories: ["fixtures", values.corpus ?? "../shared/corpus"],
};
say(`seed ${order.seed}, ${order.milliseconds / 60_000} minutes`);

const worker = new Worker(new URL("worker.js", import.meta.url), {
  workerData: order,
  resourceLimits: { maxOldGenerationSizeMb: 320 },
});
let given: FuzzCase | undefined;
let cases = 0;
let begun = Date.now();
const watchdog = setInterval(() => {
  if (Date.now() - begun > HANG_MS) fail(`a case takes longer than ${HANG_MS / 1_000} s`);
}, 1_000);
worker.on("message", (report: FuzzReport) => {
  begun = Date.now();
  cases = report.cases;
  if (report.kind === "begins") {
    given = report.given;
    return;
  }
  clearInterval(watchdog);
  if (report.failure === undefined) {
    say(`${cases} cases, no failure`);
    return;
  }
  given = report.failure.given;
  fail(`${report.failure.why}\npath ${report.failure.path}`);
});
worker.on("error", (error) => fail(`the worker died: ${error.stack ?? String(error)}`));

function fail(why: string): void {
  clearInterval(watchdog);
  say(`${cases} cases, 1 failure with seed ${order.seed}: ${why}`);
  say(JSON.stringify(given, undefined, 2));
  process.exit(1);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
