import type { InputPlace, RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { quoteForShell, showName } from "./json-fault.ts";

const ASK_AGAIN = "ask the service again and push what it returns then";

/** The error for a file in which every row says that a service failed. */
export function failFailures(file: string): RecPushError {
  const what = "it is the error answer of a service, not an export: every row says that something failed";
  return inputError({ file }, "json-answer", what, { hint: ASK_AGAIN });
}

/** The error for the answer of a service that failed, as the member `name` says. */
export function failAnswer(file: string, name: string, value: string | undefined): RecPushError {
  const said = value === undefined ? showName(name) : `${showName(name)}: ${showName(value)}`;
  return inputError({ file }, "json-answer", `it is the error answer of a service, not an export: ${said}`, {
    hint: `${ASK_AGAIN}; --type ${quoteForShell(name)}=text, if the member is no failure`,
  });
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
