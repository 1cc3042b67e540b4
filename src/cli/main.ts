import { EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { CommandName } from "../options/declaration.ts";
import { hideInFault, secretsOnLine } from "./line-secrets.ts";
import type { CommandLine } from "./command-line.ts";
import { outputOnLine, readCommandLine } from "./command-line.ts";
import type { Io } from "./run-settings.ts";

/**
 * Runs one command line (without `node` and the script) and returns the exit code. It never throws and never exits: a
 * foreseeable failure becomes a message, any other a stack on standard error and exit 1.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const startedMs = performance.now();
  let known: CommandLine | undefined;
  try {
    if (argv[0] === "complete") {
      const { runComplete } = await import("./commands/complete.ts");
      return runComplete(argv.slice(argv[1] === "--" ? 2 : 1), io);
    }
    const line = readCommandLine(argv, io);
    if (typeof line === "number") return line;
    if (line === "help") {
      const { tellHelp } = await import("./help.ts");
      return tellHelp(argv, io);
    }
    known = line;
    return await COMMANDS[line.command](line, io);
  } catch (error) {
    if (error instanceof RecPushError) {
      const { tellFailure } = await import("./session.ts");
      return tellFailure(error, known?.options ?? outputOnLine(argv), io, startedMs);
    }
    const { stack } = hideInFault(error, secretsOnLine(argv, io.env));
    io.stderr.write(`error: a fault of rec-push, please report it\n${stack}\n`);
    return EXIT.fault;
  }
}

/** Each command is imported only when it is run, so that `--help` loads nothing else. */
const COMMANDS: Readonly<Record<CommandName, (line: CommandLine, io: Io) => Promise<number>>> = {
  push: async (line, io) => (await import("./commands/push.ts")).runPush(line, io),
  plan: async (line, io) => (await import("./commands/plan.ts")).runPlan(line, io),
  check: async (line, io) => (await import("./commands/check.ts")).runCheck(line, io),
  resume: async (line, io) => (await import("./commands/resume.ts")).runResume(line, io),
  runs: async (line, io) => (await import("./commands/runs.ts")).runRuns(line, io),
  ledger: async (line, io) => (await import("./commands/ledger.ts")).runLedger(line, io),
  init: async (line, io) => (await import("./commands/init.ts")).runInit(line, io),
  login: async (line, io) => (await import("./commands/login.ts")).runLogin(line, io),
  logout: async (line, io) => (await import("./commands/login.ts")).runLogout(line, io),
  doctor: async (line, io) => (await import("./commands/doctor.ts")).runDoctor(line, io),
  completion: async (line, io) => (await import("./commands/complete.ts")).runCompletion(line, io),
  sandbox: async (line, io) => (await import("./commands/sandbox.ts")).runSandbox(line, io),
};
