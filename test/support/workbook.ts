import { zipOf, type ZipStyle } from "./zip.ts";

/** A sheet of a workbook that a test writes. */
export interface TestSheet {
  readonly name?: string;
  /** The `<row>` elements. */
  readonly rows: string;
  readonly state?: "hidden" | "veryHidden";
  /** The elements before and after the rows: columns, merged cells. */
  readonly before?: string;
  readonly after?: string;
}

/** A workbook that a test writes. */
export interface TestWorkbook {
  readonly sheets: readonly TestSheet[];
  /** The `<si>` elements. */
  readonly strings?: string;
  /** Number formats by style, after the general one: a built-in number, or a code. */
  readonly formats?: readonly (number | string)[];
  readonly is1904?: boolean;
  readonly calculation?: string;
  /** The namespace prefix of each element, with its colon. */
  readonly prefix?: string;
  readonly zip?: ZipStyle;
}

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DECLARED = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n';

/** Writes a workbook whose parts have unusual names. */
export function workbookOf(book: TestWorkbook): Buffer {
  return zipOf(workbookParts(book), book.zip);
}

/** The parts of such a workbook. */
export function workbookParts(
  book: TestWorkbook,
): readonly { readonly name: string; readonly data: string }[] {
  const { sheets, strings, formats = [], is1904 = false, calculation = "", prefix: p = "" } = book;
  const space = p === "" ? `xmlns="${MAIN}"` : `xmlns:${p.slice(0, -1)}="${MAIN}"`;
  const part = (name: string, content: string): string =>
    `${DECLARED}<${p}${name} ${space} xmlns:r="${OFFICE}">${content}</${p}${name}>`;
  const listed = sheets.map(
    ({ name = "Orders", state }, at) =>
      `<${p}sheet name="${name}" sheetId="${at + 7}" ${state === undefined ? "" : `state="${state}" `}r:id="s${at}"/>`,
  );
  const system = is1904 ? `<${p}workbookPr date1904="1"/>` : `<${p}workbookPr/>`;
  return [
    { name: "[Content_Types].xml", data: "<Types/>" },
    { name: "_rels/.rels", data: relations([["w", "officeDocument", "/book/main.xml"]]) },
    {
      name: "book/main.xml",
      data: part("workbook", `${system}<${p}sheets>${listed.join("")}</${p}sheets>${calculation}`),
    },
    {
      name: "book/_rels/main.xml.rels",
      data: relations([
        ...sheets.map((_, at) => [`s${at}`, "worksheet", `./cells-${at}.xml`] as const),
        ["f", "styles", "/book/looks.xml"],
        ["t", "sharedStrings", "../texts.xml"],
      ]),
    },
    { name: "book/looks.xml", data: part("styleSheet", stylesOf(formats, p)) },
    ...sheets.map(({ rows, before = "", after = "" }, at) => ({
      name: `book/cells-${at}.xml`,
      data: part("worksheet", `${before}<${p}sheetData>${rows}</${p}sheetData>${after}`),
    })),
    ...(strings === undefined ? [] : [{ name: "texts.xml", data: part("sst", strings) }]),
  ];
}

function relations(all: readonly (readonly [id: string, type: string, target: string])[]): string {
  const each = all.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${DECLARED}<Relationships>${each.join("")}</Relationships>`;
}

function stylesOf(formats: readonly (number | string)[], p: string): string {
  const own = formats.map((format, at) =>
    typeof format === "number"
      ? ""
      : `<${p}numFmt numFmtId="${164 + at}" formatCode="${escapeXml(format)}"/>`,
  );
  const ids = formats.map((format, at) => (typeof format === "number" ? format : 164 + at));
  const cells = [0, ...ids].map((id) => `<${p}xf numFmtId="${id}"/>`);
  return `<${p}numFmts>${own.join("")}</${p}numFmts><${p}cellStyleXfs><${p}xf numFmtId="14"/></${p}cellStyleXfs><${p}cellXfs>${cells.join("")}</${p}cellXfs>`;
}

/** A text escaped for XML. */
export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** A row of inline texts. */
export function textRow(row: number, texts: readonly string[]): string {
  const cells = texts.map((text, at) =>
    text === ""
      ? ""
      : `<c r="${columnName(at)}${row}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`,
  );
  return `<row r="${row}">${cells.join("")}</row>`;
}

/** The letters of a column, counted from 0. */
export function columnName(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : columnName(Math.floor(column / 26) - 1) + last;
}
