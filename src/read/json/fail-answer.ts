import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { quoteForShell, showName } from "./json-fault.ts";
import type { MemberTally } from "./member-tally.ts";

/**
 * The error for a file that holds a service's answer instead of an export. `places`: members that may nevertheless hold
 * records; `undefined` if `--json-path` named one that holds none.
 */
export function failAnswer(
  file: string,
  tally: MemberTally,
  places: readonly string[] | undefined,
): RecPushError {
  const { complaint } = tally;
  const names = tally.names.map(showName).join(", ");
  const what =
    complaint === ""
      ? `it is the answer of a service without records: its members are ${names}`
      : `it is the error answer of a service, not an export: ${complaint} (its members are ${names})`;
  return inputError({ file }, "json-answer", what, {
    hint: `ask the service again and push what it returns then${otherWay(tally, places)}`,
  });
}

function otherWay({ failedName }: MemberTally, places: readonly string[] | undefined): string {
  if (places === undefined)
    return failedName === undefined
      ? ""
      : `; if it is an empty export, --type ${quoteForShell(failedName)}=text says that the member is no failure`;
  const paths = places.map((name) => `--json-path ${quoteForShell(name)}`).join(" or ");
  return paths === "" ? "; --format ndjson, if the object is a record" : `; if it is the export, ${paths}`;
}
