import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AmountEvidence } from "../../src/fields/amount/amount-evidence.ts";
import { COMMA, DOT } from "../../src/fields/amount/amount.ts";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import { OddRows } from "../../src/fields/odd/odd-rows.ts";
import { type FieldPlan, RowExaminer } from "../../src/fields/record/field-plan.ts";
import { type KeyListener, MAX_KEPT_PROBLEMS } from "../../src/fields/survey/field-survey.ts";
import type { FieldType } from "../../src/fields/type-text.ts";
import { ShapeTable } from "../../src/kernel/shapes.ts";
import { RecPushError } from "../../src/model/failure.ts";
import type { RowChunk, RowProblem } from "../../src/model/rows.ts";
import { recordJson } from "../../src/model/settlement.ts";
import { inspectSource } from "../../src/read/inspect-source.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { readRows } from "../../src/read/read-rows.ts";
import { fieldOptions, surveyAll } from "../fields/survey/survey-support.ts";
import { sourceOf } from "../read/chunks.ts";
import { draws } from "../support/draws.ts";
import { makeRecords, recordsMaker } from "../support/make-records.ts";
import { parted } from "../support/parted.ts";

/** The columns of the tables. */
const NAMES = "cle num_commande date_billed actual_billable_amount libelle note quantite".split(" ");
/** How they are read from CSV. */
const CSV: ReadOptions = { delimiter: ";", quote: '"', headerLine: 1, encoding: "utf-8" };
const TYPES = ["libelle", "note", "quantite"].map((name) => [name, { kind: "text" }] as const);

/** JSON of a record; the values of the `bare` columns are numbers, true or false if they can be. */
function recordText(record: Readonly<Record<string, string>>, bare: readonly string[]): string {
  const members = Object.entries(record).map(([name, text]) => {
    const number = text.replaceAll(" ", "").replace(",", ".");
    const isBare =
      bare.includes(name) && /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null|\[1\])$/.test(number);
    return `${JSON.stringify(name)}:${isBare ? number : JSON.stringify(text)}`;
  });
  return `{${members.join(",")}}`;
}

/** All that a survey tells, the rows that are odd, and the records. */
async function surveyed(
  text: string,
  read: ReadOptions,
  options: FieldOptions,
  size: number,
  isCareful: boolean,
) {
  const source = sourceOf(text, size);
  const inspection = await inspectSource(source, read);
  const keys: unknown[] = [];
  const notes = vi.spyOn(OddRows.prototype, "note");
  const noted = (): unknown => notes.mock.calls.map(([{ start }]) => start);
  const evidence = vi.spyOn(AmountEvidence.prototype, "take");
  const sums = (): unknown =>
    [...new Set(evidence.mock.contexts as readonly AmountEvidence[])].map((one) => [
      one.marks,
      one.recordSum(COMMA),
      one.recordSum(DOT),
    ]);
  try {
    const chunks: RowChunk[] = [];
    for await (const chunk of readRows(source, inspection, read)) chunks.push(chunk);
    const listener: KeyListener = { add: (...key) => void keys.push(key) };
    const { survey, odd } = surveyAll(inspection.reading, chunks, options, listener, isCareful);
    const { plan, ...told } = survey.finish();
    const made = madeOf(plan, chunks, isCareful);
    return {
      ...told,
      parts: plan.parts,
      suspects: plan.suspects,
      keys,
      made,
      creates: madeOf(plan, chunks, isCareful, true).flatMap(({ texts }) => texts.filter(isCreate)),
      judged: await judgedOf(plan, chunks),
      noted: noted(),
      odd: [...odd],
      sums: sums(),
    };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { code, message, hint } = error;
    return { code, message, hint, noted: noted() };
  } finally {
    for (const spy of [notes, evidence]) spy.mockRestore();
  }
}

/** What became of the rows when their records were made, as the survey counts and lists it. */
async function judgedOf(plan: FieldPlan, chunks: readonly RowChunk[]) {
  const { records, rejected, empty, problems } = makeRecords(plan, chunks);
  const updates = records.filter(({ key }) => key !== undefined).length;
  const made = { updates, creates: records.length - updates };
  const counts = { ...made, skipped: empty.length, invalid: rejected.length };
  return { counts, problems: problems.slice(0, MAX_KEPT_PROBLEMS).map(placeOf) };
}

/** Where a problem is, and the value; the survey alone knows the text of an odd row. */
function placeOf({ line, column, field, value }: RowProblem): unknown {
  return [line, column, field, column === undefined ? undefined : value];
}

/** The records of each chunk, as line, start, key and text, and the rows that give none. */
function madeOf(plan: FieldPlan, chunks: readonly RowChunk[], isCareful: boolean, createsOnly = false) {
  const make = recordsMaker(plan, createsOnly, isCareful);
  return chunks.map((chunk) => {
    const { records, rejected, empty } = make(chunk);
    const texts = records.map((record) => [record.line, record.rowStart, record.key, recordJson(record)]);
    return { texts, rejected, empty };
  });
}

/** True for a create among those records. */
function isCreate([, , key]: readonly unknown[]): boolean {
  return key === undefined;
}

const prefix = fc.constantFrom(...parted`C0000|c0000||CMD-|To|TVA|Cmde_|dupont-total|12%|é`);
const oneOf = (list: TemplateStringsArray) => fc.constantFrom(...parted(list));
const cells = {
  usual: fc.tuple(
    oneOf`551035|551036|00123|16000162`,
    oneOf`05/07/2016|26/03/2024|12/09/2016|31/12/2023|12/09/2016 08:30:00`,
    oneOf`1 437,50|595|12,5|-0,50|0|100,00|-0|007,50|1\u202f000,00|999 999 999 999,99`,
    oneOf`ouvert|été|a\tb|x\u0001|Nantes|Total SA|a b|livré le 5|Ecran 24"|x;y`,
    oneOf`|x|y|z`,
    oneOf`1|2|12|3|0`,
  ),
  odd: fc.tuple(
    fc.constantFrom(...parted`|7|551 035|x|="00123"|'00123|12.0|5.5E+05|0`, "1".repeat(70)),
    oneOf`
      |31/02/2024|2024-03-26|5/7/16|01/02/2016|26/03/2024T00:00:00|2016-07-25T08:30:00|2016-07-25T24:00:00
      2016-07-25T00:00:00+02:00|26/03/2024 9:30
    `,
    oneOf`
      |1.437|12,5 €|abc|1437,125|12345678901234567|1437,50|0 123|-0|-0,05|00,50|000|(12,50)|12,-|="12,50"
      EUR 5|+3
    `,
    oneOf`|null|5,5E+05|Ã©tÃ©| |12|undefined|NaN|Ünie|×`,
    oneOf`NULL| |Ç|\u00a0|0|#N/A`,
    oneOf`|x|-1|1 000|2,50|1,5|1,437|2000|true|false|-0|007|0,5`,
  ),
};
const row = fc.record({
  cells: cells.usual,
  odds: fc.tuple(cells.odd, fc.nat(90)),
  key: fc.tuple(prefix, fc.nat(60)),
  kind: fc.nat(99),
});
const table = fc.record({
  rows: fc.array(row, { minLength: 12, maxLength: 150 }),
  keys: fc.constantFrom("rising", "repeated", "falling", "drawn", "folded", "none"),
  /** Whether nearly all numbers have one width, and nearly all texts a digit. */
  isSteady: fc.boolean(),
  /** Whether all cells of a CSV are in quotes. */
  isQuoted: fc.boolean(),
  /** The columns with numbers of JSON. */
  bare: fc.subarray(["cle", ...NAMES.slice(1)]),
  columns: fc.constantFrom(
    ["libelle", ...NAMES.filter((name) => name !== "libelle")],
    NAMES,
    NAMES.slice(0, 4),
    NAMES.slice(1),
    [...NAMES, ""],
    NAMES.toReversed(),
  ),
});

type Table = (typeof table)["generate"] extends (...given: never[]) => { value: infer Value } ? Value : never;

const TOTALS = ["TOTAL2016", "Total-2016", "S/T-1", "Dupont-1-total", "12%TVA"] as const;

/** The rows of a table by column name, and what stands between them. */
function rowsOf({ rows, keys, isSteady }: Table): readonly (string | ReadonlyMap<string, string>)[] {
  return rows.map(({ cells: usual, odds: [odds, at], key: [start, number], kind }, index) => {
    if (kind === 0) return "";
    if (kind === 1) return ["Total", "", "", "1 437,50", "", "", ""].join(";");
    const key = {
      rising: `C${1000 + index}`,
      repeated: `C${1000 + Math.floor(index / 3)}`,
      falling: `C${5000 - index}`,
      drawn: start + String(number),
      folded: `${index % 2 === 0 ? "c" : "C"}${number}`,
      none: "",
    }[keys];
    if (kind === 2) return new Map([["cle", `K${number}`]]);
    if (kind === 3) {
      const amount = number % 2 === 0 ? usual[2] : "1 437,50";
      return new Map(
        Object.entries({ cle: TOTALS[number % TOTALS.length]!, actual_billable_amount: amount }),
      );
    }
    const values = usual.map((cell, of) => (of === at ? odds[of]! : cell));
    if (isSteady && kind < 97) {
      values[0] = String(551_000 + number);
      values[3] = `ligne ${number}`;
    }
    if (kind === 4 || kind === 5) values[0] = "";
    if (kind === 5 || kind === 6) values[1] = "";
    const isCreate = kind < 12;
    return new Map(NAMES.map((name, of) => [name, of === 0 ? (isCreate ? "" : key) : values[of - 1]!]));
  });
}

function quoted(cell: string, isQuoted: boolean): string {
  return isQuoted || /[";]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function asCsv(given: Table): string {
  const lines = rowsOf(given).map((found) =>
    typeof found === "string"
      ? found
      : given.columns.map((name) => quoted(found.get(name) ?? "", given.isQuoted)).join(";"),
  );
  return [given.columns.join(";"), ...lines, ""].join("\n");
}

function asJson(given: Table): string {
  const records = rowsOf(given).flatMap((found, index) =>
    typeof found === "string"
      ? []
      : [recordText(Object.fromEntries(found), index % 7 === 6 ? [] : given.bare)],
  );
  return `[${records.join(",\n")}]`;
}

const options = fc.constantFrom<Partial<FieldOptions>>(
  {},
  {},
  { drop: ["note"] },
  { nulls: ["NULL", "ouvert"] },
  { fields: new Map([["num_commande", { required: true }]]) },
  { fields: new Map([["libelle", { default: "rien" }]]) },
  { set: new Map([["source", "x"]]) },
  { totals: { isSkip: true, kept: new Set(["Total"]) } },
  { pins: { decimal: "," } },
  { only: "updates" },
  { empty: "send" },
  { drop: ["cle"] },
  { empty: "send", nulls: ["595"], fields: new Map([["libelle", { default: "rien" }]]) },
  { only: "creates", set: new Map([["source", 'web "1"']]) },
  { fields: new Map([["num_commande", { required: true, pattern: "5.*" }]]) },
  { types: new Map([["actual_billable_amount", { kind: "amount", decimal: "." }]]) },
);

/** How many of the text columns are not declared, and what becomes of those. */
const others = fc.record({
  undeclared: fc.constantFrom(0, 0, 1, 3),
  answer: fc.constantFrom("drop", "drop", "send", undefined),
});

afterEach(() => vi.restoreAllMocks());

describe("plain rows", () => {
  it.each([
    ["CSV", asCsv, CSV],
    ["JSON", asJson, { declared: ["libelle", "note", "quantite"] }],
  ] as const)(
    "of %s are surveyed and written as with care, and as they are counted",
    async (_, write, read) => {
      const examined = vi.spyOn(RowExaminer.prototype, "examine");
      const looks = { asPlain: 0, withCare: 0 };
      let agreed = 0;
      const sizes = fc.constantFrom(300, 40, 0);
      await fc.assert(
        fc.asyncProperty(table, options, others, sizes, async (given, chosen, other, size) => {
          const text = write(given);
          const isThere = ([name]: readonly [string, unknown]): boolean =>
            read !== CSV || given.columns.includes(name);
          const declared = TYPES.filter(isThere).slice(other.undeclared);
          const types = new Map<string, FieldType>([...declared, ...(chosen.types ?? [])]);
          const { otherColumns: _, ...asked } = fieldOptions({ ...chosen, types });
          const all = other.answer === undefined ? asked : { ...asked, otherColumns: other.answer };
          examined.mockClear();
          const asPlain = await surveyed(text, read, all, size, false);
          looks.asPlain += examined.mock.calls.length;
          examined.mockClear();
          const withCare = await surveyed(text, read, all, size, true);
          looks.withCare += examined.mock.calls.length;
          expect(asPlain).toEqual(withCare);
          if (!("judged" in asPlain)) return;
          agreed += 1;
          expect(asPlain.counts).toMatchObject(asPlain.judged.counts);
          expect(asPlain.judged.problems).toEqual(asPlain.problems.map(placeOf));
          expect(asPlain.creates).toEqual(asPlain.made.flatMap(({ texts }) => texts.filter(isCreate)));
        }),
        draws(80),
      );
      // Otherwise there would be nothing to prove.
      expect(looks.withCare - looks.asPlain).toBeGreaterThan(500);
      expect(agreed).toBeGreaterThan(5);
    },
  );

  it("hold each character where it stands, and sums to the last unit", async () => {
    const letters = "abcdefgh";
    const texts = Array.from('"\\\t\u0001\u001f\u007fé').flatMap((sign) =>
      Array.from({ length: 9 }, (_, at) => `${letters.slice(0, at)}${sign}${letters.slice(at)}`),
    );
    const rows = texts.map((text, at) => `K${1000 + at};${text};9999999999999,${10 + (at % 90)}`);
    const table = `cle;libelle;actual_billable_amount\n${rows.join("\n")}\n`;
    const given = fieldOptions({ types: new Map([["libelle", { kind: "text" }]]) });
    const read = { ...CSV, quote: "" as const };
    const asPlain = await surveyed(table, read, given, 0, false);
    expect(asPlain).toEqual(await surveyed(table, read, given, 0, true));
    const made = "made" in asPlain ? asPlain.made.flatMap((chunk) => chunk.texts) : [];
    const labels = made.map((record) => (JSON.parse(String(record[3])) as { libelle: string }).libelle);
    expect(labels).toEqual(texts);
  });
});

const text = fc.string({ unit: fc.constantFrom(...Array.from("0019:/ .,-aé€?")), maxLength: 14 });
/** Texts that differ from one another in few characters. */
const alike = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(13), fc.constantFrom(...Array.from("0159:/?aé")))))
  .map(([first, changes]) => {
    const characters = Array.from(first);
    for (const [at, other] of changes) if (at < characters.length) characters[at] = other;
    return [first, characters.join("")] as const;
  });

/** A number is as long as another one, and begins with a zero if that one does. */
function formOf(cell: string, areDigitsAlike: boolean): string {
  return areDigitsAlike
    ? cell.replaceAll(
        /\d+/g,
        (number) => (number.startsWith("0") ? "0" : "n") + "n".repeat(number.length - 1),
      )
    : cell;
}

/** The shape that is found for a cell which lies between others. */
function find(
  table: ShapeTable,
  areDigitsAlike: boolean,
  cell: string,
  [before, after] = ["7;", ";7"],
): number {
  const bytes = Buffer.from(`${before}${cell}${after}`);
  const start = Buffer.byteLength(before);
  return table.find(3, areDigitsAlike, bytes, start, start + Buffer.byteLength(cell));
}

describe("the shape of a cell", () => {
  it("is that of the cells that differ from it in their digits only, or of equal ones", () => {
    fc.assert(
      fc.property(alike, fc.boolean(), ([learnt, cell], areDigitsAlike) => {
        const table = new ShapeTable();
        expect(table.learn(3, areDigitsAlike, learnt, 42)).toBe(true);
        const shape = find(table, areDigitsAlike, cell);
        const isAlike = formOf(cell, areDigitsAlike) === formOf(learnt, areDigitsAlike);
        expect([shape > 0, table.learnt(shape)]).toEqual([isAlike, isAlike ? 42 : 0]);
      }),
      draws(2000),
    );
  });

  it("is found among many, whatever comes before and after the cell", () => {
    const table = new ShapeTable();
    const cells = Array.from({ length: 3000 }, (_, at) => `${"x".repeat(at % 9)}${at}`);
    for (const [at, cell] of cells.entries()) table.learn(3, false, cell, at);
    for (const [at, cell] of cells.entries())
      expect(table.learnt(find(table, false, cell, [cells[at - 1] ?? "", "9"]))).toBe(at);
    expect(find(table, false, "3000")).toBe(0);
  });
});
