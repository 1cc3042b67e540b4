import { readFileSync } from "node:fs";
import { endOutput, ignoreStopSignals, openProcessIo } from "./process-io.ts";

/** Runs this process's command line and returns the exit code. Help is answered before anything else is loaded. */
export async function enter(argv: readonly string[]): Promise<number> {
  const io = openProcessIo();
  const help = argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h") ? readHelp() : undefined;
  if (help !== undefined) {
    io.stdout.write(help);
    return endOutput(0);
  }
  const { main } = await import("./main.ts");
  const code = await main(argv, io);
  ignoreStopSignals();
  return endOutput(code);
}

/** The help that the build has written; `undefined` if there is no build. */
function readHelp(): string | undefined {
  try {
    return readFileSync(new URL("../help.txt", import.meta.url), "utf8");
  } catch {
    return undefined;
  }
}
