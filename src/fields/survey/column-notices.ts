import type { Notice } from "../../model/reading.ts";
import { quoteText } from "../../model/visible-text.ts";
import type { ColumnsPlace } from "../columns/column-faults.ts";
import type { ColumnWatch } from "./column-watch.ts";

/** What people should know about the values of the columns that are sent. */
export function columnNotices(watches: readonly ColumnWatch[], place: ColumnsPlace): Notice[] {
  return [...watches.flatMap(typeNotice), ...watches.flatMap((watch) => damageNotice(watch, place))];
}

function damageNotice({ column, damage }: ColumnWatch, place: ColumnsPlace): Notice[] {
  const lead = `${place.noun} ${quoteText(column.header)}`;
  return damage().map((note) => Object.assign({}, note, { text: `${lead}: ${note.text}` }));
}

function typeNotice({ column, looksLike }: ColumnWatch): Notice[] {
  const kind = looksLike();
  if (kind === undefined) return [];
  const option = `--type ${column.field}=${kind}`;
  return [
    {
      text: `all values of ${column.field} read as ${kind}s and are sent as text, unchanged: ${option} converts them, --type ${column.field}=text! says that they are meant so`,
      isAlwaysShown: true,
    },
  ];
}
