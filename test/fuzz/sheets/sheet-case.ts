import fc from "fast-check";
import { columnName, textRow, workbookParts, type TestWorkbook } from "../../support/workbook.ts";
import { parted } from "../../support/parted.ts";
import { zipOf, type ZipPart } from "../../support/zip.ts";

/** A change of a part of the workbook, before it is packed. */
interface PartEdit {
  readonly part: number;
  /** The place of the change: the n-th tag, n-th digits, or any position; n in ten-thousandths of their number. */
  readonly aim: "tag" | "digits" | "any";
  readonly kind: "insert" | "delete" | "replace" | "repeat";
  readonly place: number;
  readonly length: number;
  readonly token: string;
}

/** A change of the bytes of the archive. */
interface ByteEdit {
  readonly place: number;
  readonly kind: "set" | "insert" | "delete" | "cut";
  readonly byte: number;
}

/** A workbook with damage. */
export interface SheetCase {
  readonly base: number;
  readonly is1904: boolean;
  readonly isLarge: boolean;
  readonly isStreamed: boolean;
  readonly edits: readonly PartEdit[];
  readonly bytes: readonly ByteEdit[];
  readonly hasHeader: boolean;
}

/** Separated by bars. */
const TOKENS = [
  `<|>|/|&amp;|&lt;|&#65;|&#x10FFFF;|&#0;|&x;|"|'|<!--x-->|<?x?>|<![CDATA[7]]>|<v>|</v>|<v/>`,
  `<v>8</v>|<c>|</c>|<c/>|<c><v>9</v></c>|<row>|</row>|<row/>|<is>|</is>|<is><t>q</t></is>|<t>q</t>`,
  `<r><t>q</t></r>|<rPh><t>p</t></rPh>|<si><t>s</t></si>|<si/>|<f>A1</f>|<f/>`,
  `<y:v xmlns:y="urn:y">3</y:v>|<ext><v>4</v></ext>| t="s"| t="b"| t="e"| t="str"| t="d"`,
  ` t="inlineStr"| s="1"| s="3"| s="99"| r="A1"| r="ZZ3"| r="XFD3"| x:r="B2"|_x0041_|_x000D_`,
  `_xD800_|_x005F_|0|1|9|.|-|+|e|E+20|e-3| |\n|\r\n|\t|00|1234567890123456789|\u0661|1.5|\u00e9`,
  `\u{1f600}|\ufeff|\u0085|date1904|"1"|true|d|h|%|;|[h]|[$-409]|AM/PM|@|"d"`,
].flatMap((line) => line.split("|"));

const CODES = parted`dd/mm/yyyy hh:mm:ss;@|0.0%|[h]:mm|h:mm AM/PM|#,##0.00 "days"|[<1]0;yyyy|0_);[Red](0)`;
const FORMATS = [14, ...CODES, 22];
const TEXTS = [
  "<si><t>shared</t></si>",
  '<si><r><rPr><b/></rPr><t>ri</t></r><r><t xml:space="preserve"> ch </t></r><rPh sb="0" eb="1"><t>PH</t></rPh></si>',
  "<si/><si><t>a_x000D_\nb _x005F_x0041_</t></si><si><t>&lt;x></t></si>",
].join("");

const BODIES = parted`
  <v>551036</v>|<v>0.10</v>|<v>1437.4999999999998</v>|<v>1.1000000000000001</v>|<v>1.5E-3</v>|<v>-12</v>
  <v>12345678901234567890</v>|<f>A1+1</f><v>7</v>|<f>A1</f>|<v/>|<v>1E+20</v>|<v> 5 </v>
`;

/** Workbooks to begin with: every kind of cell, with and without references, names and prefixes. */
const BASES: readonly TestWorkbook[] = [
  { sheets: [{ rows: rowsOf(true) }], strings: TEXTS },
  { sheets: [{ name: "Cover", rows: textRow(1, ["x"]) }, { rows: rowsOf(false) }], strings: TEXTS },
  { prefix: "x:", sheets: [{ rows: prefixed(rowsOf(true)) }], strings: prefixed(TEXTS) },
];

function rowsOf(hasPlaces: boolean): string {
  const kinds = [
    ...[0, 1, 3, 4].map((text) => ['t="s"', `<v>${text}</v>`]),
    ['t="inlineStr"', "<is><t>in &amp; line</t></is>"],
    ['t="str"', '<f>"x"</f><v>of a formula</v>'],
    ['t="b"', "<v>1</v>"],
    ['t="e"', "<v>#REF!</v>"],
    ['t="d"', "<v>2024-03-26T00:00:00</v>"],
    ...BODIES.map((body) => ["", body]),
    ...FORMATS.map((_, at) => [`s="${at + 1}"`, "<v>45377.604166666664</v>"]),
    ...FORMATS.map((_, at) => [`s="${at + 1}"`, `<v>${[59, 60, 61, 0.5, 45377][at % 5]}</v>`]),
  ];
  const rows: string[] = [textRow(1, ["cle", "one", "two", "three"])];
  for (let at = 0; at < kinds.length; at += 3) {
    const row = rows.length + 1;
    const cells = kinds.slice(at, at + 3).map(([about, body], column) => {
      const place = hasPlaces ? ` r="${columnName(column + 1)}${row}"` : "";
      return `<c${place} ${about}>${body}</c>`;
    });
    const key = `<c${hasPlaces ? ` r="A${row}"` : ""} t="inlineStr"><is><t>K${row}</t></is></c>`;
    rows.push(`<row${hasPlaces ? ` r="${row}"` : ""}>${key}${cells.join("")}</row>`);
  }
  return rows.join("");
}

function prefixed(xml: string): string {
  return xml.replaceAll(/<(\/?)(?=[a-z])/gi, "<$1x:");
}

/** Damaged workbooks; simpler ones have fewer changes. */
export function sheetCases(): fc.Arbitrary<SheetCase> {
  const place = fc.integer({ min: 0, max: 9_999 });
  const edit = fc.record({
    part: fc.integer({ min: 0, max: 11 }),
    aim: fc.constantFrom("tag", "digits", "any"),
    kind: fc.constantFrom("insert", "insert", "replace", "delete", "repeat"),
    place,
    length: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 80 })),
    token: fc.constantFrom(...TOKENS),
  });
  const change = fc.record({
    place,
    kind: fc.constantFrom("set", "set", "insert", "delete", "cut"),
    byte: fc.integer({ min: 0, max: 255 }),
  });
  return fc.record({
    base: fc.integer({ min: 0, max: BASES.length - 1 }),
    is1904: fc.boolean(),
    isLarge: fc.boolean(),
    isStreamed: fc.boolean(),
    edits: fc.array(edit, { maxLength: 4 }),
    bytes: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(change, { maxLength: 3 }) },
    ),
    hasHeader: fc.boolean(),
  });
}

/** The file of a case. */
export function buildWorkbook({ base, is1904, isLarge, isStreamed, edits, bytes }: SheetCase): Buffer {
  const parts = workbookParts({ ...BASES[base]!, formats: FORMATS, is1904 }).map(
    ({ name, data }): ZipPart & { data: string } => ({ name, data }),
  );
  for (const change of edits) {
    // The sheet is the longest part, in which most can go wrong.
    const longest = parts.findIndex(
      ({ data }) => data.length === Math.max(...parts.map((part) => part.data.length)),
    );
    const at = change.part < parts.length ? change.part : longest;
    parts[at] = { ...parts[at]!, data: editText(parts[at]!.data, change) };
  }
  return bytes.reduce(editBytes, zipOf(parts, { isLarge, isStreamed }));
}

/** The file of the case before it was damaged. */
export function buildWhole(given: SheetCase): Buffer {
  return buildWorkbook({ ...given, edits: [], bytes: [] });
}

function editText(text: string, { aim, kind, place, length, token }: PartEdit): string {
  const places =
    aim === "any" ? [] : Array.from(text.matchAll(aim === "tag" ? /<|>/g : /\d/g), ({ index }) => index);
  const at =
    places.length === 0
      ? Math.floor((text.length * place) / 10_000)
      : places[Math.floor((places.length * place) / 10_000)]! + (place % 2);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (kind) {
    case "insert":
      return before + token + after;
    case "replace":
      return before + token + text.slice(at + Math.min(length, 3));
    case "delete":
      return before + text.slice(at + length);
    case "repeat":
      return before + text.slice(at, at + length) + after;
  }
}

function editBytes(bytes: Buffer, { place, kind, byte }: ByteEdit): Buffer {
  const at = Math.floor((bytes.length * place) / 10_000);
  const before = bytes.subarray(0, at);
  switch (kind) {
    case "set":
      return Buffer.concat([before, Buffer.of(byte), bytes.subarray(at + 1)]);
    case "insert":
      return Buffer.concat([before, Buffer.of(byte), bytes.subarray(at)]);
    case "delete":
      return Buffer.concat([before, bytes.subarray(at + 1)]);
    case "cut":
      return before;
  }
}
