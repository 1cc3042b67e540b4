import { isIdentifier, makeIdentifier, nameColumn } from "../../fields/columns/column-names.ts";
import { dropOption, mapOption, referToColumns } from "../../fields/columns/column-faults.ts";
import { BUILT_IN_FIELDS, undeclaredType } from "../../fields/columns/known-fields.ts";
import type { ColumnReport, SurveyReport } from "../../model/event.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import { isTabular } from "../../model/reading.ts";
import { quoteText } from "../../model/visible-text.ts";
import type { Asker } from "./asker.ts";

const TYPES = ["text", "digits", "amount", "date"] as const;

/** Asks for each column where it goes; returns the options that say so, or `undefined` if the user broke off. */
export async function editColumns(
  { columns, reading }: SurveyReport,
  asker: Asker,
): Promise<readonly string[] | undefined> {
  // By their names, since the answers are for all files of the command: another one may have another order.
  const names = columns.map(({ header, column }) => nameColumn(header, column - 1, column));
  const referTo = referToColumns(names, { noun: isTabular(reading.format) ? "column" : "member" });
  const own = columns.filter(
    ({ header, isUndeclared = false }) => !isMarkerColumn(header) && header.trim() !== "" && !isUndeclared,
  );
  const options: string[] = [];
  for (const column of own) {
    const reference = referTo(nameColumn(column.header, column.column - 1, column.column));
    const answer = await askField(column, asker);
    if (answer === undefined) return undefined;
    if (answer === "") {
      options.push(dropOption(reference));
      continue;
    }
    options.push(mapOption(reference, answer));
    if (BUILT_IN_FIELDS.has(answer)) continue;
    const type = await askType(column, answer, asker);
    if (type === undefined) return undefined;
    options.push(`--type ${answer}=${type}`);
  }
  return options;
}

/** Returns the field, `""` to leave the column out. */
async function askField({ header, field, samples }: ColumnReport, asker: Asker): Promise<string | undefined> {
  const values = samples.map(({ before }) => quoteText(before, 30)).join(", ");
  const ownName = makeIdentifier(header.trim());
  const fields = new Set([field, ownName, ...BUILT_IN_FIELDS.keys()].filter((name) => name !== undefined));
  const answer = await asker.choose(`${quoteText(header)}${values === "" ? "" : ` (${values})`}`, [
    ...[...fields].map((name) => ({ value: `=${name}`, label: name === field ? `${name}, as now` : name })),
    { value: "other", label: "another field" },
    { value: "", label: "leave it out" },
  ]);
  if (answer !== "other") return answer?.replace(/^=/, "");
  for (;;) {
    const name = await asker.write("Its field: letters, digits and _", ownName ?? "");
    if (name === undefined || isIdentifier(name)) return name;
  }
}

/** Proposes first the type that its values have: under another name a date is still no text. */
function askType({ type = "text" }: ColumnReport, answer: string, asker: Asker): Promise<string | undefined> {
  const usual = type === "text" ? undeclaredType(answer).kind : type;
  const inOrder = [usual, ...TYPES.filter((kind) => kind !== usual)];
  return asker.choose(
    `${answer}: its type`,
    inOrder.map((kind) => ({ value: kind, label: kind })),
  );
}
