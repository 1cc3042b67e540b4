import { RecPushError } from "../model/failure.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { hideInFault, redactorForLine, secretsOnLine } from "./line-secrets.ts";
import { outputOnLine } from "./output-on-line.ts";
import type { CommandLine, RawOptions } from "./program.ts";
import { readCommandLine } from "./read-command-line.ts";

/**
 * Runs one command line (without `node` and the script) and gives the exit code. Never throws and never exits: what is
 * foreseeable becomes a message, the rest a stack on standard error and exit 1.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const startedMs = performance.now();
  let options: RawOptions | undefined;
  try {
    const line = readCommandLine(argv, io);
    if (typeof line === "number") return line;
    ({ options } = line);
    return await runCommand(line, io);
  } catch (error) {
    if (error instanceof RecPushError) {
      const { reword, tellFailure } = await import("./tell-failure.ts");
      const failure = reword(error, redactorForLine(argv, io.env));
      return tellFailure(failure, options ?? outputOnLine(argv), io, startedMs);
    }
    const { stack } = hideInFault(error, secretsOnLine(argv, io.env));
    io.stderr.write(`error: a fault of rec-push, please report it\n${stack}\n`);
    return EXIT.fault;
  }
}

/** Commands are imported when they are asked for, so that `--help` loads nothing it does not use. */
async function runCommand(line: CommandLine, io: Io): Promise<number> {
  switch (line.command) {
    case "push": {
      const { runPush } = await import("./commands/push.ts");
      return runPush(line, io);
    }
    case "check": {
      const { runCheck } = await import("./commands/check.ts");
      return runCheck(line, io);
    }
    case "resume": {
      const { runResume } = await import("./commands/resume.ts");
      return runResume(line, io);
    }
    case "runs": {
      const { runRuns } = await import("./commands/runs.ts");
      return runRuns(line, io);
    }
    case "init": {
      const { runInit } = await import("./commands/init.ts");
      return runInit(line, io);
    }
    case "sandbox": {
      const { runSandbox } = await import("./commands/sandbox.ts");
      return runSandbox(line, io);
    }
  }
}
