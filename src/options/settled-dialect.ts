import type { SurveyReport } from "../model/event.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { SHEET_FILE_DIALECT, type Dialect } from "../model/reading.ts";
import { pinned, settledAnew } from "./answers.ts";
import type { SettledPush } from "./declaration.ts";

/** The dialect of a CSV, and of the rejects of a workbook. */
export function csvDialect({ reading: { format, dialect } }: SurveyReport): Dialect | undefined {
  if (format === "xlsx") return SHEET_FILE_DIALECT;
  return format === "csv" ? dialect : undefined;
}

/** A rejects file in CSV has the dialect of its input. */
export function settledInCsv(
  spell: (dialect: Dialect) => string | undefined,
): ReturnType<typeof settledAnew> {
  return settledAnew(({ survey }: SettledPush) => {
    const dialect = csvDialect(survey);
    const text = dialect && spell(dialect);
    return text === undefined ? [] : [text];
  });
}

/** `init` writes the marks of a CSV; a workbook has none. */
export function pinnedInCsv(spell: (dialect: Dialect) => string): ReturnType<typeof pinned> {
  return pinned(({ reading: { format, dialect } }) =>
    format === "csv" && dialect !== undefined ? spell(dialect) || undefined : undefined,
  );
}

/** A delimiter as the option is written. */
export function spellDelimiter(delimiter: string): string {
  return delimiter === "\t" ? "tab" : delimiter;
}

/** The encoding with which the file was read; forced if the option forced it. */
export function spellEncoding({ reading }: SurveyReport, { encoding }: OptionTexts): string {
  return typeof encoding === "string" && encoding.endsWith("!") ? `${reading.encoding}!` : reading.encoding;
}
