import { CommanderError } from "commander";
import { RecPushError } from "../model/failure.ts";
import { EXIT } from "./exit-code.ts";
import { hideInFault, redactorForLine, secretsOnLine, withoutUnknownValue } from "./line-secrets.ts";
import { placeCommand } from "./place-command.ts";
import type { Io } from "./io.ts";
import { type CommandLine, createProgram, findValueOptions } from "./program.ts";
import { readVersion } from "./version.ts";

/**
 * Runs one command line (without `node` and the script) and gives the exit code. Never throws and never exits: what is
 * foreseeable becomes a message, the rest a stack on standard error and exit 1.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const line = parseCommandLine(argv, io);
    return typeof line === "number" ? line : await runCommand(line, io);
  } catch (error) {
    if (error instanceof RecPushError) {
      const redact = redactorForLine(argv, io.env);
      const hint = error.hint === undefined ? "" : `  ${error.hint}\n`;
      io.stderr.write(redact(`error: ${error.message}\n${hint}`));
      return error.kind === "machine" ? EXIT.fault : EXIT.usage;
    }
    const { stack } = hideInFault(error, secretsOnLine(argv, io.env));
    io.stderr.write(`error: a fault of rec-push, please report it\n${stack}\n`);
    return EXIT.fault;
  }
}

/** The command line, or the exit code where help, the version or a wrong usage has been told. */
function parseCommandLine(argv: readonly string[], io: Io): CommandLine | number {
  let line: CommandLine | undefined;
  const write = {
    out: (text: string): void => void io.stdout.write(text),
    err: (text: string): void => void io.stderr.write(withoutUnknownValue(text)),
  };
  const program = createProgram((found) => (line = found), write, readVersion());
  if (argv.length === 0) {
    program.commands.find((command) => command.name() === "push")?.outputHelp({ error: true });
    return EXIT.usage;
  }
  try {
    program.parse(placeCommand(argv, findValueOptions(program)), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return line ?? EXIT.usage;
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
