import { main } from "./main.ts";
import { endOutput, ignoreStopSignals, openProcessIo } from "./process-io.ts";

/** Runs this process's command line and returns the exit code. */
export async function enter(argv: readonly string[]): Promise<number> {
  const code = await main(argv, openProcessIo());
  ignoreStopSignals();
  return endOutput(code);
}
