import { RecPushError } from "../../model/failure.ts";
import { showColumn, type ColumnsPlace } from "../columns/column-faults.ts";
import { REJECTED_VALUE } from "../../model/marker-columns.ts";

/** A column without a name that holds values. */
export function usedNameless(
  column: Parameters<typeof showColumn>[0],
  line: number,
  place: ColumnsPlace,
): RecPushError {
  if (column.name === REJECTED_VALUE) return notWrittenOut(line, place);
  const { position } = column;
  return new RecPushError(
    "input",
    "nameless-column",
    `${place.file}:${line}: ${showColumn(column, place)} holds values and has no name`,
    {
      place: { file: place.file, line, column: column.index + 1 },
      // A member has no position.
      hint:
        place.noun === "member"
          ? "give the member a name in the file, or delete it"
          : `--map ${position}=column_${position} sends it under that name, --drop ${position} leaves it out`,
    },
  );
}

function notWrittenOut(line: number, { file }: ColumnsPlace): RecPushError {
  const message = `${file}:${line}: ${REJECTED_VALUE} holds an element that was not a row when it was rejected`;
  return new RecPushError("input", "rejected-value", message, {
    place: { file, line },
    hint: `write it out as members of the record and delete ${REJECTED_VALUE}, or delete the record`,
  });
}
