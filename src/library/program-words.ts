import { programOptions } from "../options/program-values.ts";
import { flagOf } from "../options/table.ts";

/** By flag: how a program names the option. */
const NAMES = new Map(
  programOptions("push").map(({ name, declaration }) => {
    const { kind } = declaration.form;
    const value = kind === "flag" ? ": true" : kind === "negated" ? ": false" : "";
    return [flagOf(name, declaration), name + value];
  }),
);

/**
 * The options of a hint by the names that a program gives them; their values stay as a command line has them. A line with a
 * command is for a shell, and stays as it is.
 */
export function inProgramWords(hint: string): string {
  const reword = (line: string): string =>
    /\brec-push /.test(line) ? line : line.replaceAll(/--[a-z][\w-]*/g, (flag) => NAMES.get(flag) ?? flag);
  return hint.split("\n").map(reword).join("\n");
}
