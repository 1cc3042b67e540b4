import { EXIT } from "../../model/exit-code.ts";
import type { Io } from "../io.ts";
import { COMMAND_WORDS, createProgram } from "../program.ts";
import { readVersion } from "../version.ts";
import { frontPage } from "./front-page.ts";
import { helpOutput } from "./help-output.ts";
import { showHelp } from "./show-help.ts";

/** Answers a command line that asks for help, or says nothing; returns the exit code. Throws a usage error. */
export function tellHelp(argv: readonly string[], io: Io): number {
  const write = helpOutput(io);
  // A script whose list of files is empty has pushed nothing, and must not treat that as success.
  if (argv.length === 0) {
    write.err(frontPage(readVersion()));
    return EXIT.usage;
  }
  const words = argv.slice(1).filter((word) => !word.startsWith("-"));
  const commands = COMMAND_WORDS.map(([name]) => name);
  showHelp(words, write.out, commands, (command) => {
    const program = createProgram(command, () => undefined, write, readVersion());
    program.commands[0]?.outputHelp();
  });
  return EXIT.ok;
}
