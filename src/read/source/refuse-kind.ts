import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { ZipKind } from "../zip/zip-table.ts";

/** The error for a document that is a zip archive and no table. */
export function refuseKind(file: string, kind: Exclude<ZipKind, "archive">): RecPushError {
  const what = {
    workbook: "an Excel workbook (.xlsx)",
    "binary workbook": "a binary Excel workbook (.xlsb)",
    OpenDocument: "an OpenDocument file (.ods)",
    "other document": "a document in parts (.docx, .pptx, .numbers)",
  }[kind];
  return inputError({ file }, "not-a-table", `this is ${what}, not CSV, JSON or .xlsx`, {
    hint: "save it as .xlsx, or as CSV (UTF-8), and push that",
  });
}
