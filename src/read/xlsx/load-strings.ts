import { openEntry } from "../zip/zip-entry.ts";
import { faultToken } from "./cell-fault.ts";
import { scanUnits } from "./scan-units.ts";
import { SharedStrings } from "./shared-strings.ts";
import { readRichText, undoEscapes } from "./sheet-text.ts";
import type { Workbook } from "./workbook.ts";
import { CLOSE, EMPTY, MORE, XmlScanner } from "./xml-scanner.ts";

const ITEM = Buffer.from("si");
const NOTHING = Buffer.alloc(0);

/** Reads the texts that cells share, once; they are to be closed. */
export async function loadStrings(
  { zip, sharedStrings }: Workbook,
  directory: string,
): Promise<SharedStrings> {
  const strings = new SharedStrings(directory);
  if (sharedStrings === undefined) return strings;
  const xml = new XmlScanner(zip.name, sharedStrings.name);
  const takeUnit = (): boolean => {
    const kind = xml.next();
    if (kind === MORE) return false;
    if (kind === CLOSE || !xml.is(ITEM)) return true;
    const text = kind === EMPTY ? "" : readRichText(xml);
    if (text === undefined) return false;
    strings.add(spell(text));
    return true;
  };
  try {
    for await (const _ of scanUnits(openEntry(zip, sharedStrings), xml, takeUnit));
    strings.seal();
  } catch (error) {
    await strings.close();
    throw error;
  }
  return strings;
}

/** A text as it is written to a row. */
function spell(text: string): Buffer {
  const plain = undoEscapes(text);
  if (plain === undefined) return Buffer.from(faultToken("TEXT"));
  return plain === "" ? NOTHING : Buffer.from(`"${plain.replaceAll('"', '""')}"`);
}
