import { RecPushError } from "../model/failure.ts";

/** The name of an option after one dash: `-table`, `-table=commandes`. */
const SINGLE_DASH = /^-(\w[\w-]+)/;

/**
 * Throws a usage error for a long option with one dash: `-table=commandes` would be `-t` with the table
 * `able=commandes`. `flags` are all options, `valueOptions` those that take a value.
 */
export function refuseSingleDash(
  argv: readonly string[],
  flags: ReadonlySet<string>,
  valueOptions: ReadonlySet<string>,
): void {
  for (let at = 0; at < argv.length && argv[at] !== "--"; at++) {
    const word = argv[at]!;
    const [written = "", name = ""] = SINGLE_DASH.exec(word) ?? [];
    if (flags.has(`--${name}`)) {
      throw new RecPushError("usage", "unknown-option", `unknown option '${written}'`, {
        hint: `write --${name}, with two dashes`,
      });
    }
    if (valueOptions.has(word)) at += 1;
  }
}
