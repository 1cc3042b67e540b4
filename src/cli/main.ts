import { EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { steadyMs } from "../model/steady-ms.ts";
import { hideInFault, redactorForLine, secretsOnLine } from "./line-secrets.ts";
import { outputOnLine } from "./output-on-line.ts";
import type { CommandLine } from "./program.ts";
import { readCommandLine } from "./read-command-line.ts";
import type { Io } from "./run-settings.ts";

/**
 * Runs one command line (without `node` and the script) and returns the exit code. It never throws and never exits: a
 * foreseeable failure becomes a message, any other a stack on standard error and exit 1.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const startedMs = steadyMs();
  let options: OptionTexts | undefined;
  try {
    if (argv[0] === "complete") {
      const { runComplete } = await import("./commands/complete.ts");
      return await runComplete(argv.slice(argv[1] === "--" ? 2 : 1), io);
    }
    const line = readCommandLine(argv, io);
    if (typeof line === "number") return line;
    if (line === "help") {
      const { tellHelp } = await import("./help/tell-help.ts");
      return tellHelp(argv, io);
    }
    ({ options } = line);
    return await runCommand(line, io);
  } catch (error) {
    if (error instanceof RecPushError) {
      const { reword } = await import("./reword.ts");
      const { tellFailure } = await import("./tell-failure.ts");
      const failure = reword(error, redactorForLine(argv, io.env));
      return tellFailure(failure, options ?? outputOnLine(argv), io, startedMs);
    }
    const { stack } = hideInFault(error, secretsOnLine(argv, io.env));
    io.stderr.write(`error: a fault of rec-push, please report it\n${stack}\n`);
    return EXIT.fault;
  }
}

/** Imports a command only when it is run, so that `--help` loads nothing else. */
async function runCommand(line: CommandLine, io: Io): Promise<number> {
  switch (line.command) {
    case "push": {
      const { runPush } = await import("./commands/push.ts");
      return runPush(line, io);
    }
    case "plan": {
      const { runPlan } = await import("./commands/plan.ts");
      return runPlan(line, io);
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
    case "ledger": {
      const { runLedger } = await import("./commands/ledger.ts");
      return runLedger(line, io);
    }
    case "init": {
      const { runInit } = await import("./commands/init.ts");
      return runInit(line, io);
    }
    case "doctor": {
      const { runDoctor } = await import("./commands/doctor.ts");
      return runDoctor(line, io);
    }
    case "completion": {
      const { runCompletion } = await import("./commands/complete.ts");
      return runCompletion(line, io);
    }
    case "sandbox": {
      const { runSandbox } = await import("./commands/sandbox.ts");
      return runSandbox(line, io);
    }
  }
}
