import { namePlaces } from "../list-places.ts";
import { showCount, showInteger } from "../../model/quantities.ts";
import { markup, type Markup } from "./markup.ts";
import type { RejectGroup, RunReport } from "./run-report.ts";
import { showCell, showTable } from "./show-table.ts";

/** The rows that were rejected or refused, by reason. */
export function showRejects({ rejects, otherRejects }: RunReport): Markup | undefined {
  if (rejects.length === 0) return undefined;
  const more =
    otherRejects === 0
      ? undefined
      : markup`<p>and ${showCount(otherRejects, "more problem")} with other reasons, which are not listed here.</p>`;
  return markup`<section><h2>Rows rejected or refused, by reason</h2>${showTable(["#Rows", "Reason", "Column", "Values", "Lines"], rejects.map(showGroup))}${more}</section>\n`;
}

function showGroup(group: RejectGroup) {
  const { file, column, isSheet, header, field, reason, hint, rows, lines, values } = group;
  const what = [reason, ...(hint === undefined ? [] : [markup`<br /><span class="soft">${hint}</span>`])];
  const name = header ?? "";
  const where = [
    column === undefined ? "" : `${column} `,
    name === "" ? "" : showCell(name),
    field === undefined || field === name ? "" : [" → ", showCell(field)],
  ];
  const more = rows > lines.length ? ` and ${showInteger(rows - lines.length)} more` : "";
  const { noun, names } = namePlaces(isSheet ? column : undefined, group);
  const lead = noun === "records" ? "records " : "";
  const place = [markup`<bdi>${file}</bdi>: `, `${lead}${names.join(", ")}${more}`];
  const shown = values.map((value, at) => [at === 0 ? undefined : markup`<br />`, showCell(value)]);
  return [showInteger(rows), what, where, shown, place];
}
