import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import { planWithoutSurvey } from "../../../src/fields/record/plan-without-survey.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { csvLayout } from "../../../src/read/read-rows.ts";
import { isPlainInput, PlainPass } from "../../../src/prepare/thread/plain-pass.ts";
import { fieldOptions } from "../../fields/survey/survey-support.ts";
import { cutBytesAt, sourceOf } from "../../read/chunks.ts";
import { inspectText } from "../../read/inspect.ts";
import {
  compareWays,
  passThroughBytes,
  passThroughText,
  type PlannedInput,
} from "../../support/both-ways.ts";

const HEADER = "cle;num_commande;date_billed;actual_billable_amount;libelle";
const PINS = { dateFormat: "DD/MM/YYYY", decimal: "," } as const;
const READ: ReadOptions = { delimiter: ";", quote: '"', headerLine: 1, encoding: "utf-8" };

/** The input as it is sent without a survey. */
async function planned(text: string, options: Partial<FieldOptions> = {}): Promise<PlannedInput> {
  const inspection = await inspectText(text, READ);
  const plan = planWithoutSurvey(inspection.reading, fieldOptions({ pins: PINS, ...options }));
  return { source: sourceOf(text), inspection, plan };
}

const plain = fc.tuple(
  fc.constantFrom("K1", "C0000002", "551035", ""),
  fc.constantFrom("551035", "00123", ""),
  fc.constantFrom("05/07/2016", "26/03/2024", "2024-03-26", ""),
  fc.constantFrom("1 437,50", "595", "-0,5", "", "1\u202f000,00"),
  fc.constantFrom("ouvert", "été", " ", "", "a b"),
);
const odd = fc.tuple(
  fc.constantFrom("NULL", " K9 ", "é1", "5E+05", "5.5E+05", "\u00a0", "=1"),
  fc.constantFrom("551 035", '="00123"', "x", "1,5"),
  fc.constantFrom("31/02/2024", "5/7/16", "1 mai 2024", "x"),
  fc.constantFrom("1.437", "1 437 €", "12 $", "abc", "(5)"),
  fc.constantFrom("2 lignes\nici", 'Ecran 24"', "\\", "\u00a0", "total; général"),
);
const cells = fc.oneof(
  { weight: 12, arbitrary: plain },
  {
    weight: 2,
    arbitrary: fc
      .tuple(plain, odd, fc.nat(4))
      .map(([row, odds, at]) => row.map((cell, index) => (index === at ? odds[at]! : cell))),
  },
);
const row = fc
  .tuple(cells, fc.boolean())
  .map(([cells, isQuoted]) =>
    cells
      .map((cell) => (isQuoted || /[";\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(";"),
  );
const line = fc.oneof(
  { weight: 60, arbitrary: row },
  { weight: 2, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "une seule",
      "a;b;c;d;e;f",
      "  ",
      HEADER,
      "Client;Commande;Date;Montant;Texte",
      'a"b;;;;',
      '"a"b;;;;',
      "Total;;;;",
      "Total;;;12,5;",
    ),
  },
);
const file = fc
  .tuple(
    fc.array(line, { maxLength: 30 }),
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", "\n", "Total;;;595;\n"),
  )
  .map(
    ([lines, end, last]) => [HEADER, ...lines].join(end) + (last === "" ? "" : end + last.trimEnd() + end),
  );
const options = fc.constantFrom<Partial<FieldOptions>>(
  {},
  { drop: ["libelle"] },
  { drop: ["cle"] },
  { set: new Map([["source", 'web "1"']]) },
  { nulls: ["NULL", "ouvert"] },
  { empty: "send" },
  { only: "updates" },
  { fields: new Map([["num_commande", { required: true, pattern: "5.*" }]]) },
  { fields: new Map([["libelle", { default: "rien" }]]) },
  { types: new Map([["actual_billable_amount", { kind: "amount", scale: 2 }]]) },
);

describe("records made from bytes", () => {
  it.each([
    ["after a survey", undefined],
    ["without one, leaving invalid rows out", { onInvalid: "skip", keepsFooter: false }],
    ["without one, stopping at an invalid row", { onInvalid: "stop", keepsFooter: false }],
    ["without one, with totals", { onInvalid: "skip", keepsFooter: true }],
  ] as const)("are those that are made through text: %s", async (_, settings) => {
    const stream = settings === undefined ? undefined : { ...settings, read: READ };
    await fc.assert(
      fc.asyncProperty(file, options, fc.constantFrom(1, 7, 40, 200, 0), async (text, options, size) => {
        const input = await planned(text, options);
        const expected = await passThroughText(input, READ, stream);
        const found = await passThroughBytes(input, READ, stream, cutBytesAt(Buffer.from(text), size));
        expect(compareWays(expected, found)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it("are those of all rows but the last three of an ordinary export", async () => {
    const rows = Array.from(
      { length: 500 },
      (_, at) => `K${at};${551_000 + at};05/07/2016;"1 437,50";${at % 50 === 0 ? '"Ecran 24"""' : "été"}`,
    );
    const text = `${[HEADER, ...rows].join("\r\n")}\r\n`;
    const { inspection, plan } = await planned(text);
    const layout = csvLayout(inspection, READ)!;
    expect(isPlainInput(plan, layout)).toBe(true);
    const pass = new PlainPass(plan, layout, { isOnlyPass: false, stopsAtInvalid: false });
    let made = 0;
    for await (const chunk of cutBytesAt(Buffer.from(text), 1000)) {
      expect(pass.take(chunk)).toBe(true);
      made += pass.pack((size) => Buffer.allocUnsafeSlow(size)).layout.records;
    }
    expect(made).toBe(497);
    expect(pass.rest.toString()).toBe(`${rows.slice(-3).join("\r\n")}\r\n`);
    expect(pass.line).toBe(499);
  });

  it("are the same in a stretch that is larger than most", async () => {
    const rows = Array.from(
      { length: 8000 },
      (_, at) => `é${at};${551_000 + at};;1 437,50;${"été ".repeat(at % 20)}`,
    );
    const text = `${[HEADER, ...rows].join("\n")}\n`;
    const input = await planned(text);
    const found = await passThroughBytes(input, READ, undefined, cutBytesAt(Buffer.from(text), 0));
    expect(compareWays(await passThroughText(input, READ), found)).toBeUndefined();
    expect(found.records).toHaveLength(8000);
  });

  it.each<[string, string]>([
    ["a row of another width", "une seule"],
    ["the header again", HEADER],
    ["what may be another header", "Client;Commande;Date;Montant;Texte"],
    ["a quote inside a cell", 'K;5;05/07/2016;1;24"'],
  ])("end before %s", async (_, odd) => {
    const row = "K1;551035;05/07/2016;1 437,50;été";
    const text = `${[HEADER, ...Array.from({ length: 20 }, () => row), odd, row].join("\n")}\n`;
    const { inspection, plan } = await planned(text);
    const pass = new PlainPass(plan, csvLayout(inspection, READ)!, {
      isOnlyPass: false,
      stopsAtInvalid: false,
    });
    expect(pass.take(Buffer.from(text))).toBe(false);
    expect(pass.line).toBe(19);
    expect(pass.rest.toString()).toBe(`${[row, row, row, odd, row].join("\n")}\n`);
  });
});
