import { builtInKinds, formatKinds, type FormatKinds } from "./number-format.ts";
import { CLOSE, MORE, type XmlScanner } from "./xml-scanner.ts";

const PLAIN = builtInKinds(0);

/** What the numbers of each cell format mean, from the part with the styles. */
export function readStyles(xml: XmlScanner): readonly FormatKinds[] {
  const own = new Map<number, FormatKinds>();
  const ids: number[] = [];
  /** Formats of conditions, and those that formats are built on, have the same elements. */
  let section = "";
  for (let kind = xml.next(); kind !== MORE; kind = xml.next()) {
    const name = xml.bytes.toString("latin1", xml.nameStart, xml.nameEnd);
    if (name === "numFmts" || name === "cellXfs") section = kind === CLOSE ? "" : name;
    else if (kind !== CLOSE && section === "numFmts" && name === "numFmt") {
      const texts = xml.attributeTexts();
      own.set(Number(texts.get("numFmtId")), formatKinds(texts.get("formatCode") ?? ""));
    } else if (kind !== CLOSE && section === "cellXfs" && name === "xf") {
      ids.push(Number(xml.attributeTexts().get("numFmtId") ?? 0));
    }
  }
  return ids.map((id) => own.get(id) ?? (Number.isNaN(id) ? PLAIN : builtInKinds(id)));
}
