import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import fc from "fast-check";
import { RecPushError } from "../../../src/model/failure.ts";
import { FaultyCell, JsonNumber } from "../../../src/model/rows.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { openSource } from "../../../src/read/source/open-source.ts";
import { readTable } from "../../read/chunks.ts";
import { parted } from "../../support/parted.ts";
import { columnName, type TestWorkbook, textRow, workbookParts } from "../../support/workbook.ts";
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

/** A workbook with damaged parts; what is damaged in an archive shows by its sums. */
interface SheetCase {
  readonly base: number;
  readonly is1904: boolean;
  readonly edits: readonly PartEdit[];
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

/** Built-in formats of dates, times, numbers, shares and durations; codes of formats are in test/read/xlsx/cells.test.ts. */
const FORMATS = [14, 2, 10, 46, 18, 4, 22];
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
function sheetCases(): fc.Arbitrary<SheetCase> {
  const place = fc.integer({ min: 0, max: 9_999 });
  const edit = fc.record({
    part: fc.integer({ min: 0, max: 11 }),
    aim: fc.constantFrom("tag", "digits", "any"),
    kind: fc.constantFrom("insert", "insert", "replace", "delete", "repeat"),
    place,
    length: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 80 })),
    token: fc.constantFrom(...TOKENS),
  });
  return fc.record({
    base: fc.integer({ min: 0, max: BASES.length - 1 }),
    is1904: fc.boolean(),
    edits: fc.array(edit, { maxLength: 4 }),
    hasHeader: fc.boolean(),
  });
}

/** The file of a case. */
function buildWorkbook({ base, is1904, edits }: SheetCase): Buffer {
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
  return zipOf(parts);
}

/** The file of the case before it was damaged. */
function buildWhole(given: SheetCase): Buffer {
  return buildWorkbook({ ...given, edits: [] });
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

const READER = resolve("test/fuzz/sheets/judge_sheet.py");

interface Answer {
  readonly isReadable: boolean;
  readonly fault: string | null;
}

interface ReadRows {
  readonly sheet: string | undefined;
  readonly rows: readonly (readonly unknown[])[];
  readonly others: readonly number[];
  readonly from: number | undefined;
}

/** The verdict on a file. */
type SheetVerdict = "read" | "refused" | "tolerated";

/** True if the other reader can run. */
export function hasPython(): boolean {
  return spawnSync("python3", ["-c", "import zipfile, xml.etree.ElementTree"]).status === 0;
}

/** rec-push reads something differently that the other reader cannot read. */
class ReadOtherwise extends Error {}

/** Compares what rec-push reads from workbooks with what a reader in another language finds in them. */
export class WorkbookJudge {
  readonly #directory: string;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(directory: string) {
    this.#directory = directory;
    this.#child = spawn("python3", [READER], { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  /**
   * Judges a case. If damage that may stay unseen comes with other changes, each change is judged alone. Throws if a cell is
   * read that is not in the file.
   */
  async judgeCase(given: SheetCase): Promise<SheetVerdict> {
    const whole = buildWhole(given);
    try {
      return await this.judge(buildWorkbook(given), optionsOf(given), whole);
    } catch (error) {
      if (!(error instanceof ReadOtherwise) || given.edits.length < 2) throw error;
      for (const edit of given.edits)
        await this.judge(buildWorkbook({ ...given, edits: [edit] }), optionsOf(given), whole);
      return "tolerated";
    }
  }

  /**
   * Throws if a cell is read that is not in the file, or one is missing, and throws on every error that is not an input
   * error.
   */
  async judge(bytes: Buffer, options: ReadOptions, whole: Buffer): Promise<SheetVerdict> {
    const path = join(this.#directory, "spoilt.xlsx");
    const read = await this.#read(path, bytes, options);
    if (read === undefined) return "refused";
    const { isReadable, fault } = await this.compare(path, read);
    if (isReadable && fault !== null) throw new Error(fault);
    if (isReadable) return "read";
    // Damage outside of the cells may stay unseen: then the cells are read as before.
    const before = await this.#read(join(this.#directory, "whole.xlsx"), whole, options);
    const change = before === undefined ? "the whole one is refused" : firstChange(read, before);
    if (change !== undefined)
      throw new ReadOtherwise(`not well-formed, and read otherwise: ${fault}: ${change}`);
    return "tolerated";
  }

  /** The other reader's answer about rows that were read from a file. */
  async compare(path: string, read: ReadRows): Promise<Answer> {
    this.#child.stdin!.write(`${JSON.stringify({ path, ...read })}\n`);
    const next = await this.#answers.next();
    if (next.done === true) throw new Error("the other reader died");
    return JSON.parse(next.value) as Answer;
  }

  close(): void {
    this.#child.stdin!.end();
  }

  async #read(path: string, bytes: Buffer, options: ReadOptions): Promise<ReadRows | undefined> {
    writeFileSync(path, bytes);
    const context = { stdin: () => Readable.from([]), spoolDirectory: this.#directory };
    try {
      const source = await openSource(path, context);
      try {
        const { inspection, rows, problems, headers } = await readTable(source, options);
        const { format, sheet, dialect } = inspection.reading;
        if (format !== "xlsx") return undefined;
        return {
          sheet,
          rows: rows.map((row) => row.map((cell, at) => (at === 0 ? cell : told(cell)))),
          others: [...problems.map(({ line }) => line), ...headers],
          from: dialect?.dataLine,
        };
      } finally {
        await source.close();
      }
    } catch (error) {
      if (error instanceof RecPushError && (error.kind === "input" || error.kind === "usage"))
        return undefined;
      throw error;
    }
  }
}

/** Spoilt workbooks give their own cells, or are refused. */
export function judgeSpoilt(judge: WorkbookJudge): fc.IAsyncProperty<[SheetCase]> {
  return fc.asyncProperty(sheetCases(), async (given) => void (await judge.judgeCase(given)));
}

/** The first row that differs from before; a refused cell is no difference. */
function firstChange({ rows, others }: ReadRows, before: ReadRows): string | undefined {
  const byLine = new Map(rows.map((row) => [row[0], row]));
  for (const row of before.rows) {
    const now = byLine.get(row[0]);
    if (now === undefined) {
      if (!others.includes(row[0] as number)) return `row ${String(row[0])} is missing`;
    } else if (
      row.some((cell, at) => !isRefused(now[at]) && JSON.stringify(cell) !== JSON.stringify(now[at] ?? null))
    )
      return `${JSON.stringify(row)} is read as ${JSON.stringify(now)}`;
  }
  return rows.length > before.rows.length ? "there are more rows" : undefined;
}

function isRefused(cell: unknown): boolean {
  return Array.isArray(cell) && cell[0] === "x";
}

/** Without a header every row counts; with one, rows above it and rows equal to it do not. */
function optionsOf({ hasHeader }: SheetCase): ReadOptions {
  return hasHeader ? {} : { header: false };
}

function told(cell: unknown): unknown {
  if (cell === "") return null;
  if (cell instanceof JsonNumber) return ["n", cell.source];
  if (cell instanceof FaultyCell) return ["x"];
  return typeof cell === "boolean" ? ["b", cell] : ["t", cell];
}
