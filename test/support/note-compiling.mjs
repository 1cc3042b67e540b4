// Loaded into the command's process: notes how much memory V8 took at most beside its heaps, which is for compiling.
import { writeFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.on("exit", () =>
    writeFileSync(process.env.NOTED_COMPILING, String(getHeapStatistics().peak_malloced_memory)),
  );
}
