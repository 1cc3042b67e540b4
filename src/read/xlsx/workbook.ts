import { inputError } from "../input-error.ts";
import { openEntry, type ZipEntry, type ZipFile } from "../zip/zip-directory.ts";
import { builtInFormat, formatOf, type NumberFormat } from "./cell-number.ts";
import { XmlReader } from "./xml-reader.ts";

/** The parts beside rows and texts are small. */
const MOST_PART_BYTES = 16 * 1024 ** 2;

/** A sheet of cells, in the order of the workbook. */
export interface SheetPart {
  readonly name: string;
  readonly isHidden: boolean;
  readonly entry: ZipEntry;
}

/** The parts of a workbook that decide how its cells are read. */
export interface Workbook {
  readonly zip: ZipFile;
  readonly sheets: readonly SheetPart[];
  /** Days are counted from 1 January 1904. */
  readonly is1904: boolean;
  /** The program that wrote it did not calculate: the stored values of formulas are made up. */
  readonly isUncalculated: boolean;
  /** By cell format. */
  readonly formats: readonly NumberFormat[];
  readonly sharedStrings: ZipEntry | undefined;
}

/** A reference from one part to another. */
interface Relation {
  /** The last word of its type. */
  readonly type: string;
  readonly target: string;
}

/** Reads the parts of a workbook. Throws an input error if they are damaged. */
export async function readWorkbook(zip: ZipFile, entries: readonly ZipEntry[]): Promise<Workbook> {
  // Names of parts are equal in any case (ECMA-376 part 2, 6.2.2.3).
  const parts = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  const find = (path: string): ZipEntry | undefined => parts.get(path.toLowerCase());
  const top = [...(await readRelations(zip, find("_rels/.rels"), "")).values()];
  const path = top.find(({ type }) => type === "officedocument")?.target ?? "xl/workbook.xml";
  const entry = find(path);
  if (entry === undefined) throw damaged(zip, `it has no part ${path}`);
  const directory = path.slice(0, path.lastIndexOf("/") + 1);
  const relations = await readRelations(
    zip,
    find(`${directory}_rels/${path.slice(directory.length)}.rels`),
    directory,
  );
  const found = await readMain(zip, entry);
  const byType = (type: string): ZipEntry | undefined => {
    const target = [...relations.values()].find((relation) => relation.type === type)?.target;
    return target === undefined ? undefined : find(target);
  };
  const styles = byType("styles");
  // Without its formats a date would be a number.
  if (styles === undefined && [...relations.values()].some(({ type }) => type === "styles"))
    throw damaged(zip, "it has no part with its formats");
  return {
    zip,
    ...found,
    sheets: found.sheets.flatMap(({ name, isHidden, id }): SheetPart[] => {
      const relation = relations.get(id);
      if (relation === undefined) throw damaged(zip, `the sheet ${name} is not in it`);
      // Charts and dialogs have no cells.
      if (relation.type !== "worksheet") return [];
      const part = find(relation.target);
      if (part === undefined) throw damaged(zip, `the sheet ${name} is not in it`);
      return [{ name, isHidden, entry: part }];
    }),
    formats: styles === undefined ? [] : await readStyles(zip, styles),
    sharedStrings: byType("sharedstrings"),
  };
}

interface MainPart extends Pick<Workbook, "is1904" | "isUncalculated"> {
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean; readonly id: string }[];
}

async function readMain(zip: ZipFile, entry: ZipEntry): Promise<MainPart> {
  const sheets: { name: string; isHidden: boolean; id: string }[] = [];
  let is1904 = false;
  let isUncalculated = false;
  for await (const xml of elements(zip, entry)) {
    const attributes = xml.attributes();
    if (xml.name === "sheet") {
      // The prefix of the identifier is the file's own: `r:id`.
      const [, id = ""] = [...attributes].find(([key]) => /(?:^|:)id$/.test(key)) ?? [];
      const isHidden = (attributes.get("state") ?? "visible") !== "visible";
      sheets.push({ name: attributes.get("name") ?? "", isHidden, id });
    } else if (xml.name === "workbookPr") is1904 ||= isTrue(attributes.get("date1904"));
    else if (xml.name === "calcPr") isUncalculated ||= isTrue(attributes.get("fullCalcOnLoad"));
  }
  return { sheets, is1904, isUncalculated };
}

async function readRelations(
  zip: ZipFile,
  entry: ZipEntry | undefined,
  directory: string,
): Promise<Map<string, Relation>> {
  const found = new Map<string, Relation>();
  if (entry === undefined) return found;
  for await (const xml of elements(zip, entry)) {
    const attributes = xml.attributes();
    if (xml.name !== "Relationship" || attributes.get("TargetMode") === "External") continue;
    const target = attributes.get("Target") ?? "";
    const type = (attributes.get("Type") ?? "").split("/").at(-1)!.toLowerCase();
    found.set(attributes.get("Id") ?? "", { type, target: resolvePath(directory, target) });
  }
  return found;
}

/** A path in the archive, from a target that begins with `/` or goes up. */
function resolvePath(directory: string, target: string): string {
  if (target.startsWith("/")) return target.slice(1);
  const steps = directory.split("/").slice(0, -1);
  for (const step of target.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  return steps.join("/");
}

/** The elements that matter of a small part; the reader is at the beginning of each. */
async function* elements(zip: ZipFile, entry: ZipEntry): AsyncGenerator<XmlReader> {
  if (entry.bytes > MOST_PART_BYTES) throw damaged(zip, `${entry.name} in it is longer than 16 MiB`);
  const xml = new XmlReader(zip.name, entry.name);
  for await (const piece of openEntry(zip, entry)) {
    xml.feed(piece);
    while (xml.next()) if (xml.isOpening) yield xml;
  }
  xml.end();
}

export function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true" || text === "on";
}

function damaged(zip: ZipFile, what: string): Error {
  return inputError({ file: zip.name }, "damaged-file", `the workbook is damaged: ${what}`, {
    hint: "open it in a spreadsheet program and save it again",
  });
}

/** The formats of numbers, from the part with the styles. */
async function readStyles(zip: ZipFile, entry: ZipEntry): Promise<readonly NumberFormat[]> {
  const own = new Map<number, NumberFormat>();
  const ids: number[] = [];
  for await (const xml of elements(zip, entry)) {
    const isOwn = xml.name === "numFmt";
    if (!isOwn && xml.name !== "xf") continue;
    const attributes = xml.attributes();
    const id = attributes.get("numFmtId") ?? (isOwn ? "" : "0");
    const code = attributes.get("formatCode");
    // They decide what is a date.
    if (!/^\d+$/.test(id) || (isOwn && code === undefined))
      throw xml.fault("a number format in it cannot be read");
    if (isOwn) own.set(Number(id), formatOf(code!));
    else ids.push(Number(id));
  }
  return ids.map((id) => own.get(id) ?? builtInFormat(id));
}

/** A character that XML cannot hold is written as its number: `_x000D_`; an underscore before such a number as `_x005F_`. */
const ESCAPED = /_x([0-9a-fA-F]{4})_/g;
const HALF_PAIR = /[\ud800-\udfff]/u;

/** The text with its escapes undone; `undefined` if it holds a NUL or one half of a surrogate pair. */
export function undoEscapes(text: string): string | undefined {
  const plain = text.includes("_x")
    ? text.replaceAll(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
  return plain.includes("\0") || HALF_PAIR.test(plain) ? undefined : plain;
}
