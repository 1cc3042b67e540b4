import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

interface Signature {
  readonly bytes: Buffer;
  readonly what: string;
  readonly hint: string;
}

const EXPORT_HINT = "save it as CSV (UTF-8) and push that";
const UNPACK_HINT = "unpack it and push the file inside";

function signature(bytes: string, what: string, hint: string): Signature {
  return { bytes: Buffer.from(bytes, "latin1"), what, hint };
}

/** The first bytes of file types that people push by mistake. */
const SIGNATURES: readonly Signature[] = [
  signature("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (.xls)", EXPORT_HINT),
  signature("%PDF-", "a PDF document", "export the table itself as CSV"),
  signature("{\\rtf", "a rich text document (.rtf)", EXPORT_HINT),
  signature("\x1f\x8b", "a gzip file inside another", UNPACK_HINT),
  signature("\x28\xb5\x2f\xfd", "a zstd file inside another", UNPACK_HINT),
  signature("BZh", "a bzip2 file", UNPACK_HINT),
  signature("\xfd7zXZ\0", "an xz file", UNPACK_HINT),
  signature("7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK_HINT),
  signature("Rar!\x1a\x07", "a RAR archive", UNPACK_HINT),
  signature("\x89PNG", "a picture (.png)", "push the table itself"),
  signature("\xff\xd8\xff", "a picture (.jpg)", "push the table itself"),
  signature("SQLite format 3\0", "an SQLite database", "export the table as CSV"),
  signature("PAR1", "a Parquet file", "export the table as CSV or NDJSON"),
  signature("L\0\0\0\x01\x14\x02\0", "a shortcut of Windows (.lnk)", "push the file that it leads to"),
  signature("ARROW1", "an Arrow file", "export the table as CSV or NDJSON"),
];

/** Bytes of the file `~$orders.xlsx` that Excel keeps beside a workbook while it is open. */
const LOCK_FILE_BYTES = 165;

/** Throws an input error that says what the content looks like if its first bytes show that it is not a text table. */
export function refuseBinaryContent(head: Buffer, file: string): void {
  if (head.subarray(0, 4).equals(Buffer.from("PK\x03\x04", "latin1"))) {
    throw notATable(
      file,
      describeZip(head),
      head.includes("mimetype") || head.includes("[Content_Types]") ? EXPORT_HINT : UNPACK_HINT,
    );
  }
  const found = SIGNATURES.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes));
  if (found !== undefined) {
    throw notATable(file, found.what, found.hint);
  }
  if (head.length <= LOCK_FILE_BYTES && /(^|[\\/])~\$[^\\/]*$/.test(file)) {
    const hint = "save and close the document, and push the document itself";
    throw notATable(file, "the file that Office keeps beside a document that is open", hint);
  }
  const start = head
    .toString("latin1", 0, 512)
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
    .toLowerCase();
  if (/^<(!doctype html|html|head|body|table)/.test(start)) {
    throw notATable(file, "an HTML page (some systems name such an export .xls or .csv)", EXPORT_HINT);
  }
  if (start.startsWith("[internetshortcut]")) {
    throw notATable(
      file,
      "a shortcut to a web page (.url)",
      "download the file that it leads to and push that",
    );
  }
  if (start.startsWith("<?xml")) {
    throw notATable(file, "an XML document", EXPORT_HINT);
  }
}

/** For bytes that are not UTF-16 or UTF-32: throws an input error if NUL bytes show that they are not text at all. */
export function refuseNulBytes(head: Buffer, file: string): void {
  let even = 0;
  let odd = 0;
  for (let at = head.indexOf(0); at !== -1; at = head.indexOf(0, at + 1)) {
    if (at % 2 === 0) {
      even += 1;
    } else {
      odd += 1;
    }
  }
  // Mostly Latin text in UTF-16 has a NUL in nearly every other byte.
  if (head.length >= 8 && Math.max(even, odd) > head.length * 0.3) {
    const encoding = odd > even ? "utf-16le" : "utf-16be";
    throw inputError({ file }, "utf-16-without-mark", "this looks like UTF-16 without a byte order mark", {
      hint: `--encoding ${encoding}`,
    });
  }
  if (even + odd > Math.max(8, head.length * 0.01)) {
    throw notATable(file, "binary data (NUL bytes)", "export the table as CSV or JSON");
  }
}

function describeZip(head: Buffer): string {
  if (head.includes("application/vnd.oasis.opendocument.spreadsheet")) {
    return "an OpenDocument spreadsheet (.ods)";
  }
  return head.includes("xl/") || head.includes("[Content_Types].xml")
    ? "an Excel workbook (.xlsx)"
    : "a zip archive";
}

function notATable(file: string, what: string, hint: string): RecPushError {
  return inputError({ file }, "not-a-table", `this is ${what}, not CSV or JSON`, { hint });
}
