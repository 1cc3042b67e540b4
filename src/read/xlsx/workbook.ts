import { inputError } from "../input-error.ts";
import { openEntry, type ZipEntry, type ZipFile } from "../zip/zip-entry.ts";
import { readStyles } from "./styles.ts";
import type { FormatKinds } from "./number-format.ts";
import { CLOSE, MORE, XmlScanner } from "./xml-scanner.ts";

/** The parts beside rows and texts are small. */
const MOST_PART_BYTES = 16 * 1024 ** 2;

/** A sheet of cells, in the order of the workbook. */
export interface SheetPart {
  readonly name: string;
  readonly isHidden: boolean;
  readonly entry: ZipEntry;
}

/** The parts of a workbook that say how its cells are read. */
export interface Workbook {
  readonly zip: ZipFile;
  readonly sheets: readonly SheetPart[];
  /** Days are counted from 1 January 1904. */
  readonly is1904: boolean;
  /** The program that wrote it did not calculate: the stored values of formulas are made up. */
  readonly isUncalculated: boolean;
  /** By cell format. */
  readonly formats: readonly FormatKinds[];
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
    formats: styles === undefined ? [] : readStyles(await readPartXml(zip, styles)),
    sharedStrings: byType("sharedstrings"),
  };
}

interface MainPart extends Pick<Workbook, "is1904" | "isUncalculated"> {
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean; readonly id: string }[];
}

async function readMain(zip: ZipFile, entry: ZipEntry): Promise<MainPart> {
  const xml = await readPartXml(zip, entry);
  const sheets: { name: string; isHidden: boolean; id: string }[] = [];
  let is1904 = false;
  let isUncalculated = false;
  for (const name of elements(xml)) {
    const texts = xml.attributeTexts();
    if (name === "sheet") {
      const state = texts.get("state") ?? "visible";
      sheets.push({
        name: texts.get("name") ?? "",
        isHidden: state !== "visible",
        id: texts.get("id") ?? "",
      });
    } else if (name === "workbookPr") is1904 ||= isTrue(texts.get("date1904"));
    else if (name === "calcPr") isUncalculated ||= isTrue(texts.get("fullCalcOnLoad"));
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
  const xml = await readPartXml(zip, entry);
  for (const name of elements(xml)) {
    if (name !== "Relationship") continue;
    const texts = xml.attributeTexts();
    if (texts.get("TargetMode") === "External") continue;
    const target = texts.get("Target") ?? "";
    const type = (texts.get("Type") ?? "").split("/").at(-1)!.toLowerCase();
    found.set(texts.get("Id") ?? "", { type, target: resolvePath(directory, target) });
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

/** A small part of the workbook, whole. */
async function readPartXml(zip: ZipFile, entry: ZipEntry): Promise<XmlScanner> {
  if (entry.bytes > MOST_PART_BYTES) throw damaged(zip, `${entry.name} in it is longer than 16 MiB`);
  const pieces: Buffer[] = [];
  for await (const piece of openEntry(zip, entry)) pieces.push(piece);
  const xml = new XmlScanner(zip.name, entry.name);
  xml.bytes = Buffer.concat(pieces);
  xml.checkBeginning();
  return xml;
}

/** The names of the elements of a part that begin, one after the other; the scanner is at each. */
function* elements(xml: XmlScanner): Generator<string> {
  for (let kind = xml.next(); kind !== MORE; kind = xml.next()) {
    // A reference that means nothing makes it no XML.
    xml.text(xml.textStart, xml.textEnd);
    xml.attributeTexts();
    if (kind !== CLOSE) yield xml.bytes.toString("latin1", xml.nameStart, xml.nameEnd);
  }
  xml.checkEnd();
}

export function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true" || text === "on";
}

function damaged(zip: ZipFile, what: string): Error {
  return inputError({ file: zip.name }, "damaged-workbook", `the workbook is damaged: ${what}`, {
    hint: "open it in a spreadsheet program and save it again",
  });
}
