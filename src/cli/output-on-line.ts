import type { OptionTexts } from "../model/option-texts.ts";
import { flagsOf, type OptionName, TABLE } from "../options/table.ts";

/**
 * Finds the output options on a command line that could not be parsed as a whole, so that the error is reported as they
 * ask.
 */
export function outputOnLine(argv: readonly string[]): OptionTexts {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const placeOf = (name: OptionName): number => {
    const flags = new Set(TABLE.filter((entry) => entry.name === name).flatMap(flagsOf));
    return words.findIndex((word) => flags.has(word.split("=")[0]!));
  };
  const records = placeOf("records");
  const isToStdout = records >= 0 && (words[records]?.endsWith("=-") || words[records + 1] === "-");
  return {
    json: placeOf("json") >= 0,
    quiet: placeOf("quiet") >= 0,
    records: isToStdout ? "-" : undefined,
    logFile: valueAt(words, placeOf("logFile")),
    report: valueAt(words, placeOf("report")),
  };
}

/** The value of the option at this position, whatever it is. */
function valueAt(words: readonly string[], at: number): string | undefined {
  if (at < 0) return undefined;
  const equals = words[at]!.indexOf("=");
  return equals < 0 ? words[at + 1] : words[at]!.slice(equals + 1);
}
