import { builtInKinds, formatKinds, type FormatKinds } from "./number-format.ts";
import { CLOSE, MORE, type XmlScanner } from "./xml-scanner.ts";

/** What the numbers of each cell format mean, from the part with the styles. */
export function readStyles(xml: XmlScanner): readonly FormatKinds[] {
  const own = new Map<number, FormatKinds>();
  const ids: number[] = [];
  /** Formats of conditions, and those that formats are built on, have the same elements. */
  let section = "";
  for (let kind = xml.next(); kind !== MORE; kind = xml.next()) {
    // What is no XML may have lost a format.
    xml.text(xml.textStart, xml.textEnd);
    const texts = xml.attributeTexts();
    const name = xml.bytes.toString("latin1", xml.nameStart, xml.nameEnd);
    if (name === "numFmts" || name === "cellXfs") section = kind === CLOSE ? "" : name;
    else if (kind !== CLOSE && section === "numFmts" && name === "numFmt") {
      const code = texts.get("formatCode");
      if (code === undefined) throw xml.fault("a number format in it has no code");
      own.set(readId(xml, texts), formatKinds(code));
    } else if (kind !== CLOSE && section === "cellXfs" && name === "xf") {
      ids.push(readId(xml, texts));
    }
  }
  xml.checkEnd();
  return ids.map((id) => own.get(id) ?? builtInKinds(id));
}

/** The number of a format: what a date is depends on it. */
function readId(xml: XmlScanner, texts: ReadonlyMap<string, string>): number {
  const text = texts.get("numFmtId") ?? "0";
  if (!/^\d+$/.test(text)) throw xml.fault("a number format in it cannot be read");
  return Number(text);
}
