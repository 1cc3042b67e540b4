import type { RecPushError } from "../../model/failure.ts";
import { quoteWord } from "../../model/shell-word.ts";
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

/** The error for a file that zstd packed, which `zstd` itself unpacks into the command. */
export function refuseZstd(file: string): RecPushError {
  const path = file === "<stdin>" ? "FILE" : quoteWord(file.startsWith("-") ? `./${file}` : file);
  return inputError({ file }, "not-a-table", "this is a zstd file, not CSV, JSON, .xlsx, .gz or .zip", {
    hint: `give it unpacked, with the other options of this command: zstd -dc ${path} | rec-push -`,
  });
}
