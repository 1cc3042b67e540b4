import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { crc32, createDeflateRaw } from "node:zlib";
import { COLUMNS, makeRows } from "./rows.ts";

/** Writes the rows of the bench as Excel does: dates as serial numbers, texts as shared strings after the sheet. */
export async function writeWorkbook(file: string, rows: number): Promise<void> {
  const out = createWriteStream(file);
  const zip = new ZipWriter(out);
  const texts = [...COLUMNS] as string[];
  await zip.add("[Content_Types].xml", [CONTENT_TYPES]);
  await zip.add("_rels/.rels", [relations([["officeDocument", "xl/workbook.xml"]])]);
  await zip.add("xl/workbook.xml", [
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Orders" sheetId="1" r:id="r0"/></sheets></workbook>`,
  ]);
  await zip.add("xl/_rels/workbook.xml.rels", [
    relations([
      ["worksheet", "worksheets/sheet1.xml"],
      ["styles", "styles.xml"],
      ["sharedStrings", "sharedStrings.xml"],
    ]),
  ]);
  await zip.add("xl/styles.xml", [STYLES]);
  await zip.add("xl/worksheets/sheet1.xml", sheetOf(rows, texts));
  await zip.add("xl/sharedStrings.xml", stringsOf(texts));
  await zip.end();
  out.end();
  await once(out, "close");
}

const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const CONTENT_TYPES = `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SPREADSHEET}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${SPREADSHEET}.sharedStrings+xml"/></Types>`;
const STYLES = `<styleSheet xmlns="${MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`;
const DAY_MS = 86_400_000;
const ROWS_A_PIECE = 1000;

function relations(all: readonly (readonly [type: string, target: string])[]): string {
  const each = all.map(
    ([type, target], at) => `<Relationship Id="r${at}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${each.join("")}</Relationships>`;
}

function* sheetOf(rows: number, texts: string[]): Generator<string> {
  const header = COLUMNS.map((_, at) => `<c r="${"ABCDEF"[at]}1" t="s"><v>${at}</v></c>`).join("");
  let xml = `<worksheet xmlns="${MAIN}"><sheetData><row r="1">${header}</row>`;
  let row = 1;
  for (const [key, order, billed, amount, invoice, closed] of makeRows(rows)) {
    row++;
    const own = key === "" ? "" : `<c r="A${row}" t="s"><v>${texts.push(key) - 1}</v></c>`;
    const paid = Number(amount.replace(" ", "").replace(",", "."));
    xml += `<row r="${row}" spans="1:6">${own}<c r="B${row}"><v>${order}</v></c><c r="C${row}" s="1"><v>${serialOf(billed)}</v></c><c r="D${row}"><v>${paid}</v></c><c r="E${row}"><v>${invoice}</v></c><c r="F${row}" s="1"><v>${serialOf(closed)}</v></c></row>`;
    if (row % ROWS_A_PIECE !== 0) continue;
    yield xml;
    xml = "";
  }
  yield `${xml}</sheetData></worksheet>`;
}

function* stringsOf(texts: readonly string[]): Generator<string> {
  yield `<sst xmlns="${MAIN}">`;
  for (let at = 0; at < texts.length; at += ROWS_A_PIECE)
    yield texts
      .slice(at, at + ROWS_A_PIECE)
      .map((text) => `<si><t>${text}</t></si>`)
      .join("");
  yield "</sst>";
}

/** Days since 30 December 1899. */
function serialOf(date: string): number {
  const [day = 1, month = 1, year = 1] = date.split("/").map(Number);
  return Math.round((Date.UTC(year, month - 1, day) - Date.UTC(1899, 11, 30)) / DAY_MS);
}

/** Writes an archive in one go, with sizes and checksums after the data. */
class ZipWriter {
  readonly #out: WriteStream;
  readonly #headers: Buffer[] = [];
  #at = 0;

  constructor(out: WriteStream) {
    this.#out = out;
  }

  async add(name: string, pieces: Iterable<string>): Promise<void> {
    const at = this.#at;
    const named = Buffer.from(name);
    const [local, header] = [Buffer.alloc(30), Buffer.alloc(46)];
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 6);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(named.length, 26);
    await this.#write(Buffer.concat([local, named]));
    const deflate = createDeflateRaw({ level: 1 });
    const begun = this.#at;
    const written = (async () => {
      for await (const piece of deflate) await this.#write(piece as Buffer);
    })();
    let [crc, bytes] = [0, 0];
    for (const piece of pieces) {
      const data = Buffer.from(piece);
      crc = crc32(data, crc);
      bytes += data.length;
      if (!deflate.write(data)) await once(deflate, "drain");
    }
    deflate.end();
    await written;
    const sizes = [crc, this.#at - begun, bytes];
    const after = Buffer.alloc(16);
    after.writeUInt32LE(0x08074b50, 0);
    sizes.forEach((value, index) => {
      after.writeUInt32LE(value, 4 + 4 * index);
      header.writeUInt32LE(value, 16 + 4 * index);
    });
    await this.#write(after);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(8, 8);
    header.writeUInt16LE(8, 10);
    header.writeUInt16LE(named.length, 28);
    header.writeUInt32LE(at, 42);
    this.#headers.push(header, named);
  }

  async end(): Promise<void> {
    const at = this.#at;
    await this.#write(Buffer.concat(this.#headers));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(this.#headers.length / 2, 8);
    end.writeUInt16LE(this.#headers.length / 2, 10);
    end.writeUInt32LE(this.#at - at, 12);
    end.writeUInt32LE(at, 16);
    await this.#write(end);
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#at += bytes.length;
    if (!this.#out.write(bytes)) await once(this.#out, "drain");
  }
}
