import { CommanderError } from "commander";
import { RecPushError } from "../model/failure.ts";
import type { FailureCode } from "../model/failure-codes.ts";
import { EXIT } from "../model/exit-code.ts";
import type { Io } from "./io.ts";
import { withoutUnknownValue } from "./line-secrets.ts";
import { placeCommand } from "./place-command.ts";
import { type CommandLine, createProgram, isCommand, valueFlags } from "./program.ts";
import { readVersion } from "./version.ts";

/** Reads the command line; after help or the version it gives the exit code. Throws usage. */
export function readCommandLine(argv: readonly string[], io: Io): CommandLine | number {
  let line: CommandLine | undefined;
  const write = {
    out: (text: string): void => void io.stdout.write(text),
    err: (text: string): void => void io.stderr.write(text),
  };
  const words = placeCommand(argv, valueFlags());
  const name = isCommand(words[0]) ? words[0] : "push";
  const program = createProgram(name, (found) => (line = found), write, readVersion());
  if (argv.length === 0) {
    program.commands[0]?.outputHelp({ error: true });
    return EXIT.usage;
  }
  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw wrongUsage(error);
    return EXIT.ok;
  }
  return line ?? EXIT.usage;
}

const CODES: Readonly<Record<string, FailureCode>> = {
  "commander.unknownOption": "unknown-option",
  "commander.missingArgument": "missing-argument",
  "commander.optionMissingArgument": "option-missing-argument",
  "commander.excessArguments": "excess-arguments",
};

function wrongUsage({ code, message }: CommanderError): RecPushError {
  const text = withoutUnknownValue(message.replace(/^error: /, ""));
  return new RecPushError("usage", CODES[code] ?? "wrong-usage", text, {
    hint: "rec-push --help lists the options",
  });
}
