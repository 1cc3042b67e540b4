import type { InputPlace, RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { quoteForShell, showName } from "./json-fault.ts";
import type { MemberTally } from "./member-tally.ts";

/** Members that may nevertheless hold records, or whether `--json-path` named one that holds some. */
type Places = readonly string[] | "at the path" | "none";

const ASK_AGAIN = "ask the service again and push what it returns then";

/** The error for a file in which every row says that a service failed. */
export function failFailures(file: string): RecPushError {
  const what = "it is the error answer of a service, not an export: every row says that something failed";
  return inputError({ file }, "json-answer", what, { hint: ASK_AGAIN });
}

/** The error for a file that holds a service's answer instead of an export. */
export function failAnswer(file: string, tally: MemberTally, places: Places): RecPushError {
  const { complaint } = tally;
  const names = tally.names.map(showName).join(", ");
  const what =
    complaint === ""
      ? `it is the answer of a service without records: its members are ${names}`
      : `it is the error answer of a service, not an export: ${complaint} (its members are ${names})`;
  return inputError({ file }, "json-answer", what, {
    hint: `${ASK_AGAIN}${otherWay(tally, places)}`,
  });
}

function otherWay({ blamedName }: MemberTally, places: Places): string {
  if (places === "none") return "";
  const type = blamedName === undefined ? "" : `--type ${quoteForShell(blamedName)}=text`;
  if (places === "at the path")
    return `; if it is an export nevertheless, ${type} says that the member is no failure`;
  if (places.length === 0) return "; --format ndjson, if the object is a record";
  const ways = places.map((name) => `--json-path ${quoteForShell(name)} ${type}`.trimEnd());
  return `; if it is the export, ${ways.join(" or ")}`;
}

/** The error for what is in the place of the first row; `isLine`: an array that is the first of several values. */
export function failNotRecords(place: Required<InputPlace>, what: string, isLine: boolean): RecPushError {
  return inputError(
    place,
    "json-not-records",
    `${what} is where the first row should be: an object with members, such as {"cle":"C1"}`,
    {
      hint: isLine
        ? "--format json, if the file is one array of records"
        : "export the rows as objects, or as CSV",
    },
  );
}
