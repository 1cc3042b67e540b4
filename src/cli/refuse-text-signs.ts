import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { quoteText } from "../model/visible-text.ts";
import type { Io } from "./io.ts";
import type { CommandLine } from "./program.ts";

/** Dashes that text programs make of `--` or of each `-`. */
const LONG_DASH = /^[\u2010-\u2015\u2212]{1,2}-?(?=[a-z])/i;
const DASHES = /[\u2010-\u2015\u2212]/g;
/** Quotes that a shell passes on: those of text programs, and in cmd.exe `'`. */
const IN_QUOTES = /^['"`\u2018-\u201f\u00ab]\s?(.*?)\s?['"`\u2018-\u201f\u00bb]$/s;

/**
 * Throws a usage error if a file that is missing, or the table, is written with signs that a command gets when it is
 * copied from a letter, a mail or a page.
 */
export function refuseTextSigns({ files, options: { table } }: CommandLine, { cwd }: Io): void {
  const missing = files.filter((file) => !existsSync(resolve(cwd, file)));
  const dashed = missing.find((file) => LONG_DASH.test(file));
  if (dashed !== undefined) {
    throw new RecPushError("usage", "wrong-usage", `${quoteText(dashed)} begins with a long dash`, {
      hint: `if it is an option, type it anew: ${dashed.replace(LONG_DASH, dashed.length > 2 ? "--" : "-").replace(DASHES, "-")}; text programs make such a dash of two short ones`,
    });
  }
  const named = typeof table === "string" ? [...missing, table] : missing;
  for (const word of named) {
    const [, inside = ""] = IN_QUOTES.exec(word) ?? [];
    if (inside === "") continue;
    throw new RecPushError("usage", "wrong-usage", `${quoteText(word)}: the quotes are part of the name`, {
      hint: `write ${quoteText(inside)} with plain double quotes, or without quotes if it has no blank`,
    });
  }
}
