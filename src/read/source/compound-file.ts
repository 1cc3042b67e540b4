import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { readPart } from "../zip/read-stretch.ts";

/** The directory begins with the names of the files in the order in which they were made. */
const DIRECTORY_BYTES = 4096;
const ENCRYPTED = Buffer.from("EncryptedPackage", "utf16le");

/** Why a compound file is not read. */
export async function describeCompound(
  { fd, name }: { readonly fd: number; readonly name: string },
  head: Buffer,
): Promise<RecPushError> {
  const sectorBytes = 2 ** Math.min(head.readUInt16LE(30), 16);
  const directory = await readPart(fd, (head.readUInt32LE(48) + 1) * sectorBytes, DIRECTORY_BYTES);
  if (directory.includes(ENCRYPTED)) {
    return inputError({ file: name }, "encrypted", "the workbook is protected by a password", {
      hint: "open it in Excel, save it without a password and push that",
    });
  }
  return inputError(
    { file: name },
    "not-a-table",
    "this is an old Excel workbook (.xls), not CSV, JSON or .xlsx",
    {
      hint: "save it as .xlsx, or as CSV (UTF-8), and push that",
    },
  );
}
