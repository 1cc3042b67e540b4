import { inputError } from "../input-error.ts";
import { openEntry, type ZipEntry, type ZipFile } from "../zip/zip-directory.ts";
import { builtInFormat, formatOf, type NumberFormat } from "./cell-number.ts";
import { CLOSE, EMPTY, MORE, OPEN, XmlScanner } from "./xml-scanner.ts";

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
    // An invalid reference makes the part no XML.
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

/** The formats of numbers, from the part with the styles. */
function readStyles(xml: XmlScanner): readonly NumberFormat[] {
  const own = new Map<number, NumberFormat>();
  const ids: number[] = [];
  /** Formats of conditions, and those that formats are built on, have the same elements. */
  let section = "";
  for (let kind = xml.next(); kind !== MORE; kind = xml.next()) {
    // Broken XML may have lost a format.
    xml.text(xml.textStart, xml.textEnd);
    const texts = xml.attributeTexts();
    const name = xml.bytes.toString("latin1", xml.nameStart, xml.nameEnd);
    if (name === "numFmts" || name === "cellXfs") section = kind === CLOSE ? "" : name;
    else if (kind !== CLOSE && section === "numFmts" && name === "numFmt") {
      const code = texts.get("formatCode");
      if (code === undefined) throw xml.fault("a number format in it has no code");
      own.set(readId(xml, texts.get("numFmtId")), formatOf(code));
    } else if (kind !== CLOSE && section === "cellXfs" && name === "xf") {
      ids.push(readId(xml, texts.get("numFmtId") ?? "0"));
    }
  }
  xml.checkEnd();
  return ids.map((id) => own.get(id) ?? builtInFormat(id));
}

/** The number of a format: it decides what is a date. */
function readId(xml: XmlScanner, text: string | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) throw xml.fault("a number format in it cannot be read");
  return Number(text);
}

const TEXT = Buffer.from("t");
const RUN = Buffer.from("r");
const PHONETIC = Buffer.from("rPh");

/** A character that XML cannot hold is written as its number: `_x000D_`; an underscore before such a number as `_x005F_`. */
const ESCAPED = /_x([0-9a-fA-F]{4})_/g;
const HALF_PAIR = /[\ud800-\udfff]/u;

/**
 * Reads the text of an `<si>` or `<is>` that was just opened, up to its end: all runs of rich text, without phonetic ones.
 * `undefined` if the bytes end before.
 */
export function readRichText(xml: XmlScanner): string | undefined {
  let depth = 1;
  let text = "";
  /** The depths at which a text and a phonetic run were opened. */
  let textDepth = 0;
  let phoneticDepth = 0;
  let isRun = false;
  while (depth > 0) {
    const kind = xml.next();
    if (kind === MORE) return undefined;
    if (textDepth !== 0 && phoneticDepth === 0) text += xml.text(xml.textStart, xml.textEnd);
    if (textDepth !== 0 && (kind === OPEN || kind === EMPTY)) throw xml.fault("a text in it holds elements");
    if (kind === OPEN) {
      depth++;
      if (depth === 2) isRun = xml.is(RUN);
      if (xml.is(TEXT) && (depth === 2 || (depth === 3 && isRun))) textDepth = depth;
      else if (xml.is(PHONETIC)) phoneticDepth = depth;
    } else if (kind === CLOSE) {
      if (depth === textDepth) textDepth = 0;
      if (depth === phoneticDepth) phoneticDepth = 0;
      depth--;
    }
  }
  return text;
}

/** Passes an element that was just opened; false if the bytes end before. */
export function passElement(xml: XmlScanner): boolean {
  for (let depth = 1; depth > 0;) {
    const kind = xml.next();
    if (kind === MORE) return false;
    if (kind === OPEN) depth++;
    else if (kind === CLOSE) depth--;
  }
  return true;
}

/** The text with its escapes undone; `undefined` if it holds a NUL or one half of a surrogate pair. */
export function undoEscapes(text: string): string | undefined {
  const plain = text.includes("_x")
    ? text.replaceAll(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
  return plain.includes("\0") || HALF_PAIR.test(plain) ? undefined : plain;
}
