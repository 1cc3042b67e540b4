import { isCommand } from "./program.ts";

/**
 * Moves the command to the front, as commander needs it: a command after options (`--json check a.csv`) is moved, and
 * without a command it is `push`. `valueOptions` are the flags that take a value. A file with a command's name has to
 * be pushed as `./check`.
 */
export function placeCommand(argv: readonly string[], valueOptions: ReadonlySet<string>): readonly string[] {
  if (argv[0] === "--version" || argv[0] === "-V") return argv;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    if (word === "--") break;
    if (word.startsWith("-") && word !== "-") {
      if (valueOptions.has(word)) index += 1;
      continue;
    }
    if (!isCommand(word)) break;
    return [word, ...argv.slice(0, index), ...argv.slice(index + 1)];
  }
  return ["push", ...argv];
}
