import { type OptionName, TABLE, type TableEntry, useIn } from "../options/table.ts";

/** The commands that a program calls. */
export type LibraryCommand = "push" | "check";

/** They are about a terminal, or are said otherwise: `check` is a function of its own. */
const OF_TERMINAL: ReadonlySet<OptionName> = new Set(["color", "json", "progress", "quiet", "verbose"]);

/** The options of the table that a program may give. */
export function libraryOptions(command: LibraryCommand): readonly TableEntry[] {
  return TABLE.filter(
    ({ name, declaration }) =>
      !OF_TERMINAL.has(name) &&
      declaration.form.kind !== "unwritten" &&
      useIn(command, declaration) !== undefined,
  );
}
