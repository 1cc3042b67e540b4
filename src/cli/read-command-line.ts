import { CommanderError } from "commander";
import { RecPushError } from "../model/failure.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { withoutUnknownValue } from "./line-secrets.ts";
import { placeCommand } from "./place-command.ts";
import { type CommandLine, createProgram, findValueOptions } from "./program.ts";
import { readVersion } from "./version.ts";

/** The command line, or the exit code where help or the version has been told. Throws usage. */
export function readCommandLine(argv: readonly string[], io: Io): CommandLine | number {
  let line: CommandLine | undefined;
  const write = {
    out: (text: string): void => void io.stdout.write(text),
    err: (text: string): void => void io.stderr.write(text),
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
    if (error.exitCode !== 0) throw wrongUsage(error);
    return EXIT.ok;
  }
  return line ?? EXIT.usage;
}

/** The code `commander.unknownOption` becomes `unknown-option`. */
function wrongUsage({ code, message }: CommanderError): RecPushError {
  const own = code.replace(/^commander\./, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const text = withoutUnknownValue(message.replace(/^error: /, ""));
  return new RecPushError("usage", own, text, { hint: "rec-push --help lists the options" });
}
