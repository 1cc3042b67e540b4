import { inputError } from "../input-error.ts";
import { openEntry, type ZipEntry, type ZipFile } from "./zip-entry.ts";

/** How many names a message lists. */
const MOST_NAMES = 5;

/** What a zip archive is, by the names of its files. */
export type ZipKind = "workbook" | "binary workbook" | "OpenDocument" | "other document" | "archive";

/** Tells a workbook and other documents, which are zip archives too, from an archive of files. */
export function kindOfZip(entries: readonly ZipEntry[]): ZipKind {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  if (names.has("[content_types].xml")) {
    if (names.has("xl/workbook.bin")) return "binary workbook";
    if (names.has("word/document.xml") || names.has("ppt/presentation.xml")) return "other document";
    return "workbook";
  }
  if (names.has("mimetype") && names.has("content.xml")) return "OpenDocument";
  return names.has("index/document.iwa") ? "other document" : "archive";
}

/** The one table of an archive. Throws an input error if it holds several files, or none. */
function oneTable(zip: ZipFile, entries: readonly ZipEntry[]): ZipEntry {
  const files = entries.filter(({ name }) => !name.endsWith("/") && !isLitter(name));
  const [table] = files;
  if (table !== undefined && files.length === 1) return table;
  const names = files.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = files.length > MOST_NAMES ? ` and ${files.length - MOST_NAMES} more` : "";
  throw inputError(
    { file: zip.name },
    "zip-members",
    files.length === 0
      ? "the archive holds no file"
      : `the archive holds ${files.length} files: ${names.join(", ")}${more}`,
    { hint: "unpack it and push the table inside" },
  );
}

/** What the table of an archive holds. */
export function openTable(zip: ZipFile, entries: readonly ZipEntry[]): AsyncGenerator<Buffer> {
  return openEntry(zip, oneTable(zip, entries));
}

/** What macOS and Windows add to an archive. */
function isLitter(name: string): boolean {
  return name.startsWith("__MACOSX/") || /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(name);
}
