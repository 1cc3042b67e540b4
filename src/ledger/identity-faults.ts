import { showInteger } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";

/** The error for creates without a value in the fields of their identity. */
export function emptyIdentity(
  file: string,
  identity: readonly string[],
  empty: number,
  lines: readonly number[],
): RecPushError {
  return new RecPushError(
    "input",
    "identity-empty",
    `${file}: ${showInteger(empty)} ${empty === 1 ? "create has" : "creates have"} no value in ${identity.join(", ")}, which --identify-by names (${listLines(lines, empty)})`,
    {
      hint: "name fields that every row without key has, or mend the rows",
      place: { file, line: lines[0]! },
    },
  );
}

/** The error for two creates with the same identity. */
export function repeatedIdentity(
  file: string,
  identity: readonly string[],
  repeated: number,
  lines: readonly number[],
): RecPushError {
  return new RecPushError(
    "input",
    "identity-repeated",
    `${file}: ${showInteger(repeated)} ${repeated === 1 ? "create has" : "creates have"} the same ${identity.join(", ")} as a later one (${listLines(lines, repeated)})`,
    {
      hint: "--on-repeat last sends only the last of them; or name more fields in --identify-by",
      place: { file, line: lines[0]! },
    },
  );
}

/** The first lines of rows, and whether there are more. */
export function listLines(lines: readonly number[], all: number): string {
  const more = all > lines.length ? " ..." : "";
  return `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
}
