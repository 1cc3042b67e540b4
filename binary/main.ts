import { getAsset } from "node:sea";
import { endOutput, ignoreStopSignals, openProcessIo } from "../src/cli/process-io.ts";

// The door of the one file: as bin/rec-push.js and src/cli/door.ts together.
async function enter(argv: readonly string[]): Promise<void> {
  const io = openProcessIo();
  if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h")) {
    io.stdout.write(getAsset("help.txt", "utf8"));
    process.exitCode = endOutput(0);
    return;
  }
  const { main } = await import("../src/cli/main.ts");
  process.exitCode = endOutput(await main(argv, io));
  ignoreStopSignals();
}

void enter(process.argv.slice(2));
