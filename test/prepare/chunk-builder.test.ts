import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import { parseMap, parseTypes } from "../../src/fields/field-rule-texts.ts";
import type { FieldPlan } from "../../src/fields/record/field-plan.ts";
import { FieldSurvey } from "../../src/fields/survey/field-survey.ts";
import type { Reading } from "../../src/model/reading.ts";
import { type Cell, JsonNumber, NestedValue } from "../../src/model/rows.ts";
import { recordJson } from "../../src/model/settlement.ts";
import { RecordPacker, unpackChunk } from "../../src/prepare/packed-chunk.ts";
import { prepareRecords } from "../../src/prepare/prepare-records.ts";
import {
  chunkOf,
  csvReading,
  fieldOptions,
  jsonReading,
  pushCsv,
  recordsOf,
  rowOf,
  survey,
} from "../fields/survey/survey-support.ts";
import { sourceOf } from "../read/chunks.ts";
import { inspectText } from "../read/inspect.ts";
import { madeRows } from "../support/made-rows.ts";
import { recordsMaker } from "../support/make-records.ts";
import { HEADER, READ } from "../support/odd-csv.ts";
import { parted } from "../support/parted.ts";

type Options = Partial<FieldOptions>;

const ORDER = "cle num_commande date_billed actual_billable_amount num_invoice date_closed".split(" ");
const WEB: Options = { set: new Map([["s", "web"]]) };
const NULLS: Options = { nulls: ["NULL"] };
const EMPTY: Options = { empty: "send" };
/** Rules of the field a, and of the key. */
const ofA = (rules: object): Options => ({ fields: new Map([["a", rules]]) });
const KEY_RULE: Options = { fields: new Map([["cle", { required: true }]]) };
const TEXT = parseTypes(["a=text"], "--type");
const TEXT_NULLS: Options = { ...NULLS, types: TEXT };
const TWO = new Map(Object.entries({ t: "1", s: "" }));
const DAY = new Map([["date_x", "2016-07-05"]]);
const NO_COLUMN: Options = { fields: new Map([["z_amount", { default: "12.50" }]]) };

describe("records", () => {
  it("hold the wire formats of a French order file, in column order", async () => {
    const columns = ["Clé", "Num Commande", "Date billed", "actual_billable_amount", "num_invoice", "statut"];
    const rows = [
      ["C0000001", '="00551035"', "05/07/2016", "1 437,50", " 16000162 ", " ouvert "],
      ["", "551\u00a0036", "26/03/2024", "595", "16000163", 'Ecran 24"'],
      [" C0000002 ", "551037", "", "1\u202f000,00 €", "", ""],
    ];
    expect(await recordsOf(columns, rows)).toEqual([
      '{"cle":"C0000001","num_commande":"00551035","date_billed":"2016-07-05","actual_billable_amount":"1437.50","num_invoice":"16000162","statut":" ouvert "}',
      String.raw`{"num_commande":"551036","date_billed":"2024-03-26","actual_billable_amount":"595","num_invoice":"16000163","statut":"Ecran 24\""}`,
      '{"cle":"C0000002","num_commande":"551037","actual_billable_amount":"1000.00"}',
    ]);
  });

  const number = (source: string): JsonNumber => new JsonNumber(source);
  const LONG = "12345678901234567890";
  const X: Options = ofA({ default: "x" });

  it.each<[string, readonly Cell[], Options, string | undefined]>([
    ["leaves empty cells out", ["K", "", "x"], {}, '{"cle":"K","b":"x"}'],
    ["leaves blanks around a key out", [" K1 ", "", "x"], {}, '{"cle":"K1","b":"x"}'],
    ["takes a blank key for none", ["\u00a0", "", "x"], {}, '{"b":"x"}'],
    [
      "writes lone surrogates as escapes",
      ["K", "\ud83d", "x\ude00"],
      {},
      String.raw`{"cle":"K","a":"\ud83d","b":"x\ude00"}`,
    ],
    ["takes the default of an empty cell", ["K", "", "x"], X, '{"cle":"K","b":"x","a":"x"}'],
    ["takes no default beside a value", ["K", "v", "x"], X, '{"cle":"K","a":"v","b":"x"}'],
    [
      "takes the default before an empty value",
      ["K", "", "x"],
      { ...EMPTY, ...X },
      '{"cle":"K","b":"x","a":"x"}',
    ],
    [
      "takes the default of a field without a column",
      ["K", "v", ""],
      NO_COLUMN,
      '{"cle":"K","a":"v","z_amount":"12.50"}',
    ],
    ["adds defaults after constants", ["K", "", ""], { ...WEB, ...X }, '{"cle":"K","s":"web","a":"x"}'],
    ["leaves JSON null out", ["K", null, "x"], {}, '{"cle":"K","b":"x"}'],
    ["keeps spaces in text", ["K", " ", "x"], {}, '{"cle":"K","a":" ","b":"x"}'],
    ["leaves nulls out", ["K", "NULL", "x"], NULLS, '{"cle":"K","b":"x"}'],
    ["takes nulls in text exactly", ["K", "NULL ", "x"], TEXT_NULLS, '{"cle":"K","a":"NULL ","b":"x"}'],
    ["takes a null in the key for none", ["-", "a", "x"], { nulls: ["-"] }, '{"a":"a","b":"x"}'],
    ["takes a JSON number for null", ["K", number("0"), "x"], { nulls: ["0"] }, '{"cle":"K","b":"x"}'],
    ["sends empty cells where asked", ["K", "", null], EMPTY, '{"cle":"K","a":"","b":""}'],
    ["never sends an empty key", ["", "a", ""], EMPTY, '{"a":"a","b":""}'],
    ["skips a blank row", ["", "", ""], {}, undefined],
    ["skips a row of spaces", [" ", "\u00a0", "  "], {}, undefined],
    ["skips a key alone", ["K", "", ""], {}, undefined],
    ["skips a blank row where empty is sent", ["", "", ""], EMPTY, undefined],
    ["skips a blank row with constants", ["", "", ""], WEB, undefined],
    ["adds constants to a key alone", ["K", "", ""], WEB, '{"cle":"K","s":"web"}'],
    ["adds constants last", ["K", "a", ""], { set: TWO }, '{"cle":"K","a":"a","t":"1","s":""}'],
    ["adds constants of any type", ["", "a", ""], { set: DAY }, '{"a":"a","date_x":"2016-07-05"}'],
    ["keeps digits in text", ["K", number(LONG), number("0.10")], {}, `{"cle":"K","a":"${LONG}","b":"0.10"}`],
    ["writes true and false", ["K", true, false], {}, '{"cle":"K","a":"true","b":"false"}'],
  ])("%s", async (_, row, options, json) => {
    // The rows of a file that gives nothing at all are refused before any of them is made a record.
    const rows = json === undefined ? [row, ["Z", "z", "z"]] : [row];
    const { prepared } = await pushCsv(["cle", "a", "b"], rows, options);
    const [first, ...others] = prepared.records;
    expect(prepared.problems).toEqual([]);
    const made = first === undefined ? "" : recordJson(first);
    expect(json === undefined ? made.slice(0, 10) : made).toBe(json ?? '{"cle":"Z"');
    expect(others).toEqual([]);
    expect(prepared.empty.map(({ line }) => line)).toEqual(json === undefined ? [2] : []);
  });

  it("parse to exactly the cells, for any text", async () => {
    // A line of dashes is no row.
    const isNoRule = (row: readonly string[]): boolean =>
      row.join("").trim() === "" || /[^\s\-=_*~#+.·–—|]/.test(row.join(""));
    const unit = fc.constantFrom(...parted`"|\\|\u0000|\u2028|\ud800|\udfff|é|😀|a`, " ", "\n");
    const cell = fc.oneof(fc.string({ unit }), fc.string({ unit: "binary" }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell).filter(isNoRule), { minLength: 1 }),
        async (rows) => {
          const { records } = (await pushCsv(["zeta", "Alpha", "_m"], rows, { sparse: "keep" })).prepared;
          const expected = rows
            .filter((row) => row.some((text) => /[^\s\u200b\u200e\u200f\u2060]/.test(text)))
            .map((row) =>
              Object.entries({ zeta: row[0], alpha: row[1], _m: row[2] }).filter(([, text]) => text !== ""),
            );
          expect(records.map((record) => Object.entries(JSON.parse(recordJson(record))))).toEqual(expected);
        },
      ),
    );
  });
});

describe("rejected rows", () => {
  it("name every cell at fault, with what settles it, and come as they were", async () => {
    const rows = ["K1|551035|13/07/2016|1,50|1|13/07/2016", "#N/A|5.5E+05|31/02/2016|1,2,3|x|13/07/2016"];
    const cells = rows.map((row) => row.split("|"));
    const { prepared } = await pushCsv(ORDER, cells, { sparse: "keep" });
    expect(prepared.records.map(({ line }) => line)).toEqual([2]);
    expect(prepared.problems.map(({ line, column, field, value }) => [line, column, field, value])).toEqual(
      ORDER.slice(0, 5).map((field, at) => [3, at + 1, field, cells[1]![at]]),
    );
    expect(prepared.rejected).toEqual([{ line: 3, start: 300, end: 400, problems: prepared.problems }]);
  });

  const NESTED = new NestedValue("object");
  const MAPPED: Options = { map: [{ column: "a", field: "a" }] };
  const [REQUIRED, LISTED] = [ofA({ required: true }), ofA({ oneOf: ["x", "y"] })];
  const DROP = "--flatten sends its members, --drop a leaves it out";

  it.each<[string, readonly Cell[], Options, object]>([
    ["a nested value", ["K", NESTED], MAPPED, { column: 2, field: "a", hint: DROP }],
    ["an update under --only creates", ["K", "x"], { only: "creates" }, { field: "cle", value: "K" }],
    ["a create under --only updates", ["", "x"], { only: "updates" }, { field: "cle" }],
    ["a required cell that is empty", ["K", ""], { ...WEB, ...REQUIRED }, { column: 2, field: "a" }],
    ["a required key", ["", "x"], KEY_RULE, { column: 1, field: "cle" }],
    ["a value off its pattern", ["K", "xy"], ofA({ pattern: "x|y" }), { column: 2, value: "xy" }],
    ["a value not in its list", ["K", "z"], LISTED, { reason: 'it is not one of "x", "y"' }],
  ])("are found: %s", async (_, row, options, problem) => {
    const { prepared } = await pushCsv(["cle", "a"], [row], options);
    expect(prepared.problems).toEqual([expect.objectContaining({ line: 2, ...problem })]);
    expect(prepared.records).toEqual([]);
  });

  it("say nothing of the kind of a row whose key cannot be read", async () => {
    const { prepared } = await pushCsv(["cle", "a"], [["#N/A", "x"]], { only: "updates" });
    expect(prepared.problems.map(({ value }) => value)).toEqual(["#N/A"]);
  });

  it.each<[string, readonly string[], Options]>([
    ["a blank row with a required field", ["", ""], REQUIRED],
    ["a key alone under --only creates", ["K", ""], { only: "creates" }],
  ])("are not %s, which is skipped", async (_, row, options) => {
    const full = options.only === "creates" ? ["", "z"] : ["Z", "z"];
    const { prepared } = await pushCsv(["cle", "a"], [row, full], options);
    const empty = [{ line: 2, start: 200 }];
    expect(prepared).toMatchObject({ records: [{ line: 3 }], rejected: [], empty });
  });

  it("stand in line order among the rows that could not be read", () => {
    const { plan } = survey(csvReading(["num_invoice"]), [chunkOf(["num_invoice"], [["1"]])]);
    const { rejected } = recordsMaker(plan)({
      columns: ["num_invoice"],
      rows: madeRows([rowOf(2, ["x"]), rowOf(4, ["y"])]),
      unreadable: [{ line: 3, reason: "too wide", start: 300, end: 400 }],
    });
    const places = [2, 3, 4].map((line) => ({ line, start: 100 * line, end: 100 * line + 100 }));
    expect(rejected).toMatchObject(places);
    expect(rejected[1]?.problems).toEqual([{ line: 3, reason: "too wide" }]);
  });
});

describe("key literals", () => {
  const rows = ["NA|x", " - |y", "N/A|NA"].map((row) => row.split("|"));

  it("are keys, in the survey and in the records, also beside --null", async () => {
    const options: Options = { sparse: "keep", nulls: ["NA", "N/A"], types: TEXT };
    const pins = { keyLiterals: ["NA", "-"] };
    const { found, prepared } = await pushCsv(["cle", "a"], rows, { ...options, pins });
    expect(found.counts).toMatchObject({ updates: 2, creates: 0, skipped: 1, invalid: 0 });
    expect(prepared.records.map(recordJson)).toEqual(['{"cle":"NA","a":"x"}', '{"cle":"-","a":"y"}']);
  });

  it("are no keys without that", async () => {
    const { prepared } = await pushCsv(["cle", "a"], rows, { sparse: "keep" });
    expect(prepared.problems.map(({ value, hint }) => [value, hint])).toEqual([
      ["NA", "--null NA reads it as a blank cell, --key-literal NA as a key"],
      [" - ", "--null - reads it as a blank cell, --key-literal - as a key"],
      ["N/A", "--null N/A reads it as a blank cell, --key-literal N/A as a key"],
    ]);
  });
});

describe("a chunk", () => {
  it("takes a chunk that does not know all members yet", () => {
    const columns = ["cle"];
    const chunks = [chunkOf(columns, [["K"]]), chunkOf(["cle", "a"], [["K", "x"]])];
    const { plan } = survey(jsonReading(), chunks);
    const make = recordsMaker(plan);
    expect(chunks.flatMap((chunk) => make(chunk).records.map(recordJson))).toEqual(['{"cle":"K","a":"x"}']);
  });

  it("sends mapped columns under their fields, with the fields' formats", async () => {
    const options = { map: parseMap(["Order No=num_commande", "2=date_billed"], "--map") };
    const records = await recordsOf(["Order No", "le"], [["551 035", "2016-07-05"]], options);
    expect(records).toEqual(['{"num_commande":"551035","date_billed":"2016-07-05"}']);
  });
});

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\ud800", "é", "€", "x".repeat(600), '","cle":"', '"cle":"'),
);
const row = fc.record({
  line: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  start: fc.integer({ min: 0, max: 2 ** 50 }),
  size: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  key: fc.option(text, { nil: undefined }),
  value: text,
});
const rejected = fc.record({ line: fc.nat(), start: fc.nat(), end: fc.nat(), reason: text, value: text });
const empty = fc.record({ line: fc.nat(), start: fc.nat() });

describe("a packed chunk", () => {
  it("holds the records and the other rows that were put into it", () => {
    const packer = new RecordPacker();
    fc.assert(
      fc.property(fc.array(row), fc.array(rejected), fc.array(empty), (rows, wrong, empty) => {
        const keys = rows.map(({ key }) => key);
        const jsons = rows.map(({ value }, at) => JSON.stringify({ a: value, cle: keys[at], b: value }));
        for (const [at, { line, start, size }] of rows.entries()) {
          packer.reserve(Buffer.byteLength(jsons[at]!));
          const end = packer.at + packer.text.write(jsons[at]!, packer.at);
          packer.add({ line, start, end: start + size }, end, keys[at]);
        }
        const rejected = wrong.map(({ line, start, end, ...problem }) => ({
          line,
          start,
          end,
          problems: [{ line, ...problem }],
          key: problem.value,
        }));
        const others = { rejected, empty };
        const found = unpackChunk(packer.pack(others));
        expect({ rejected: found.rejected, empty: found.empty }).toEqual(others);
        expect(found.records.map(recordJson)).toEqual(jsons);
        expect(found.records.map(({ line, rowStart, rowEnd, key }) => [line, rowStart, rowEnd, key])).toEqual(
          rows.map(({ line, start, size }, at) => [line, start, start + size, keys[at] || undefined]),
        );
        // What follows each other in the file does so in a request.
        const { text } = [...found.records][0] ?? { text: Buffer.alloc(0) };
        expect(text.toString()).toBe(jsons.map((json) => `${json},`).join(""));
      }),
    );
  });
});

const PINS = { dateFormat: "DD/MM/YYYY", decimal: "," } as const;

/** A plan whose formats are all pinned: no row has to be surveyed for it. */
function planOf(reading: Reading, options: FieldOptions): FieldPlan {
  return new FieldSurvey(reading, options, { add: () => {} }).finish().plan;
}

const TYPES = new Map([["libelle", { kind: "text" }]] as const);

describe("the records of a file", () => {
  it("have the positions of their rows in the content", async () => {
    const text = `\ufeff${HEADER}\r\nK1;1;;1,5;"a\r\nb"\r\n\r\nK2;2;31/02/2016;1;x\nune seule\n\nK3;3;;;été`;
    const inspection = await inspectText(text, READ);
    const plan = planOf(inspection.reading, fieldOptions({ pins: PINS, types: TYPES }));
    const input = { source: sourceOf(text), inspection, plan };
    const texts: string[] = [];
    const content = Buffer.from(text.slice(1));
    for await (const chunk of prepareRecords(input, { read: READ })) {
      for (const { rowStart, rowEnd } of chunk.records)
        texts.push(content.toString("utf8", rowStart, rowEnd));
      for (const { start, end } of chunk.rejected) texts.push(content.toString("utf8", start, end));
    }
    expect(texts).toEqual(['K1;1;;1,5;"a\r\nb"\r\n', "K2;2;31/02/2016;1;x\n", "une seule\n", "K3;3;;;été"]);
  });
});
