import { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import { quoteText } from "../../model/text.ts";
import { type ColumnsPlace, type PlannedColumn, showColumn } from "../columns/column-faults.ts";
import { KEY_FIELD } from "../columns/other-columns.ts";
import type { FieldOptions } from "../field-options.ts";
import { listSome } from "../list-some.ts";

/** How many rows an input has, how many of them have nothing to send, and how many of these an option leaves out. */
interface Counted {
  readonly rows: number;
  readonly skipped: number;
  readonly leftOut: number;
}

/** Throws if an input may be no export, because no row has anything to send, or its only line may be a message. */
export function refuseNothingSent(
  { rows, skipped, leftOut }: Counted,
  columns: readonly PlannedColumn[],
  { otherColumns }: FieldOptions,
  place: ColumnsPlace,
): void {
  if (rows === 0 && columns.length > 0) refuseMessage(columns, otherColumns, place);
  if (rows === 0 || skipped < rows) return;
  if (columns.length > 0) refuseNoField(columns, place);
  // A file of nothing but a total, which is left out each night, is an ordinary one.
  if (leftOut > 0) return;
  const text = `${place.file}: no row has anything to send: ${rows === 1 ? "its only row is" : `all ${rows} rows are`} blank, or nothing but a key`;
  throw new RecPushError("input", "no-field", text, {
    place: { file: place.file },
    hint: "look at the file, and export it again",
  });
}

/** In a file without rows a declared column is needed; if all columns are sent, several make a header too. */
function refuseMessage(
  columns: readonly PlannedColumn[],
  otherColumns: FieldOptions["otherColumns"],
  { file, noun }: ColumnsPlace,
): void {
  const isDeclared = columns.some(({ use, isOther }) => use === "field" && !isOther);
  const isSent = otherColumns === "send" && columns.length > 1;
  if (isDeclared || isSent || noun === "member") return;
  const names = listSome(columns.map(({ header }) => quoteText(header)));
  const text = `${file}: it has no rows, and no declared column: ${names} may be a message instead of a header`;
  throw new RecPushError("input", "no-field", text, {
    place: { file },
    hint: "look at the file, and export it again; --map COLUMN=field declares a column",
  });
}

/** No column except the key goes to a field. */
function refuseNoField(columns: readonly PlannedColumn[], place: ColumnsPlace): void {
  if (columns.some(({ use, field }) => use === "field" && field !== KEY_FIELD)) return;
  const { file, noun } = place;
  const unused = columns.filter(
    ({ use, name }) => (use === "dropped" || use === "undecided") && !isMarkerColumn(name),
  );
  const names = listSome(unused.map((column) => showColumn(column, place)));
  const text = unused.length === 0 ? `there is no other ${noun}` : `left out: ${names}`;
  throw new RecPushError("input", "no-field", `${file}: no row has anything to send: ${text}`, {
    place: { file },
    hint: `--map COLUMN=field names the ${noun}s to send, --other-columns send sends all`,
  });
}
