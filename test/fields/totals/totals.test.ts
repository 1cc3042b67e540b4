import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_FIELD_OPTIONS, type FieldOptions } from "../../../src/fields/field-options.ts";
import { FieldSurvey } from "../../../src/fields/survey/field-survey.ts";
import { type Cell, JsonNumber } from "../../../src/model/problem-groups.ts";
import { makeRecords } from "../../support/make-records.ts";
import { chunksOf, csvReading, jsonReading, survey } from "../survey/survey-support.ts";

type Rows = readonly (readonly Cell[])[];

const COLUMNS = ["cle", "num_commande", "date_billed", "libelle", "actual_billable_amount"];
const BODY: Rows = [
  ["A1", "551035", "05/07/2016", "Ecran", "100,10"],
  ["A2", "551036", "13/07/2016", "Clavier", "20,00"],
  ["A3", "551037", "14/07/2016", "", "3,20"],
];

/** Surveys rows and makes their records as a push does, at any chunk size. */
async function judged(
  rows: Rows,
  columns: readonly string[] = COLUMNS,
  options: Partial<FieldOptions> = {},
  reading = csvReading(columns),
) {
  let first: { readonly invalid: number[]; readonly skipped: number[]; readonly sent: number[] } | undefined;
  let found: ReturnType<typeof survey>;
  for (const size of [1, 2, 1000]) {
    const chunks = chunksOf(columns, rows, size);
    found = survey(reading, chunks, options);
    const made = await makeRecords(found.plan, chunks);
    expect(found.problems).toEqual(made.problems);
    const lines = {
      invalid: made.rejected.map(({ line }) => line),
      skipped: made.empty.map(({ line }) => line),
      sent: made.records.map(({ line }) => line),
    };
    expect(found.counts).toMatchObject({
      rows: rows.length,
      invalid: lines.invalid.length,
      skipped: lines.skipped.length,
      updates: made.records.filter(({ key }) => key !== undefined).length,
      creates: made.records.filter(({ key }) => key === undefined).length,
    });
    expect(lines).toEqual(first ?? lines);
    first = lines;
  }
  return { ...first!, found: found! };
}

describe("a row that looks like a total", () => {
  it.each<[string, Rows, readonly number[]]>([
    ["a total at the end", [["", "", "", "Total", "99,00"]], [5]],
    [
      "a total in the middle",
      [
        ["", "", "", "Total", "99,00"],
        ["A4", "551038", "15/07/2016", "x", "1,00"],
      ],
      [5],
    ],
    ["a total whose word is in the column of keys", [["Total", "", "", "", "99,00"]], [5]],
    ["a total whose word is in a column of digits", [["", "Total", "", "", "99,00"]], [5]],
    [
      "three totals with a tax",
      [
        ["", "", "", "Total HT", "123,30"],
        ["", "", "", "TVA 20 %", "24,66"],
        ["", "", "", "Total TTC", "147,96"],
      ],
      [5, 6, 7],
    ],
    [
      "a total above an empty row",
      [
        ["", "", "", "Total", "123,30"],
        ["", "", "", "", ""],
      ],
      [5],
    ],
    ["a row with only a sum", [["", "", "", "", "123,30"]], [5]],
    ["a sum beside a word that is no total's", [["", "", "", "Juillet", "123,30"]], [5]],
    [
      "subtotals of groups",
      [
        ["Sous-total Dupont", "", "", "", "123,30"],
        ["A4", "551038", "15/07/2016", "x", "1,00"],
        ["A5", "551039", "15/07/2016", "x", "2,00"],
        ["", "", "", "", "3,00"],
        ["A6", "551040", "15/07/2016", "x", "4,00"],
        ["A7", "551041", "15/07/2016", "x", "5,00"],
        ["Total Martin", "", "", "", "9,00"],
        ["", "", "", "Total général", "135,30"],
      ],
      [5, 8, 11, 12],
    ],
    ["a sum since a blank row", [["", "", "", "", ""], ...BODY.slice(0, 2), ["", "", "", "", "120,10"]], [8]],
    ["a remark of one cell", [["", "", "", "Extraction du 05/08/2016", ""]], [5]],
    ["a count of rows in the column of keys", [["Nb lignes", "4", "", "", ""]], [5]],
    ["a count of rows elsewhere", [["", "4", "", "Nombre d'enregistrements :", ""]], [5]],
    ["a sum that is settled", [["Arrêté à la somme de", "", "", "", "3 000,00"]], [5]],
  ])("is invalid wherever it stands: %s", async (_, more, expected) => {
    const { invalid, found } = await judged([...BODY, ...more]);
    expect(invalid).toEqual(expected);
    expect(found.problems[0]?.hint).toContain(
      "--totals skip leaves such rows out, --totals keep takes them as rows",
    );
  });

  it.each(["Solde", "Moyenne", "À reporter", "Net à payer", "Endbetrag", "Suma", "Totaal", "Übertrag"])(
    "is invalid with the word %s",
    async (word) => {
      expect((await judged([...BODY, ["", "", "", word, "7,00"]])).invalid).toEqual([5]);
    },
  );

  it.each<[string, readonly string[], Rows, readonly number[]]>([
    [
      "of two columns",
      ["cle", "actual_billable_amount"],
      [
        ["A1", "1,50"],
        ["A2", "2,50"],
        ["Total", "4,00"],
      ],
      [4],
    ],
    [
      "of two columns, by its sum",
      ["cle", "actual_billable_amount"],
      [
        ["A1", "1,50"],
        ["A2", "2,50"],
        ["", "4,00"],
      ],
      [4],
    ],
    [
      "beside an earlier row with a gap",
      ["cle", "libelle", "actual_billable_amount"],
      [
        ["A1", "x", "1,50"],
        ["", "y", "2,50"],
        ["", "Total", "4,00"],
      ],
      [4],
    ],
    [
      "with a tax after the total",
      ["cle", "libelle", "actual_billable_amount"],
      [
        ["A1", "x", "1,50"],
        ["", "y", "2,50"],
        ["", "Total HT", "4,00"],
        ["", "TVA", "0,80"],
        ["", "Total TTC", "4,80"],
      ],
      [4, 5, 6],
    ],
    [
      "of groups with a name, of one row too",
      ["cle", "date_billed", "actual_billable_amount", "tva_amount"],
      [
        ["A1", "25/07/2016", "100,10", "20,02"],
        ["Total Dupont", "", "100,10", "20,02"],
        ["A2", "06/07/2016", "20,00", "4,00"],
        ["A3", "07/07/2016", "30,00", "6,00"],
        ["Total SARL Martin", "", "50,00", "10,00"],
        ["A4", "07/07/2016", "", ""],
        ["Subtotal", "", "1,00", "3,00"],
      ],
      [3, 6, 8],
    ],
    [
      "of two columns, a balance that is no sum",
      ["libelle", "actual_billable_amount"],
      [
        ["x", "1,50"],
        ["y", "2,50"],
        ["Solde", "7,00"],
      ],
      [4],
    ],
    [
      "of keys that are words, of several words itself",
      ["cle", "num_commande", "actual_billable_amount"],
      [
        ["ak", "", "1950"],
        ["bl", "551036", "1000"],
        ["Nog te betalen", "", "3752"],
      ],
      [4],
    ],
    [
      "of three columns, two sums without a word",
      ["libelle", "actual_billable_amount", "tva_amount"],
      [
        ["x", "10,00", "2,00"],
        ["y", "20,00", "4,00"],
        ["", "30,00", "6,00"],
      ],
      [4],
    ],
    [
      "of rows as empty as it, below other totals",
      ["num_commande", "actual_billable_amount"],
      [
        ["1", "80,00"],
        ["", "10,00"],
        ["Subtotal", "90,00"],
        ["2", "50,00"],
        ["", "20,00"],
        ["Subtotal", "70,00"],
        ["3", "30,00"],
        ["4", "50,00"],
        ["", "80,00"],
      ],
      [4, 7, 10],
    ],
    [
      "of two columns, the sum of a group with a name",
      ["libelle", "actual_billable_amount"],
      [
        ["x", "1,51"],
        ["y", "2,52"],
        ["Total Dupont", "4,03"],
        ["z", "5,00"],
      ],
      [4],
    ],
    [
      "of groups with their name in front, of one row too",
      ["client", "num_commande", "date_billed", "actual_billable_amount"],
      [
        ["Dupont", "1", "13/07/2016", "10,00"],
        ["Dupont Total", "", "", "10,00"],
        ["Durand", "2", "14/07/2016", "40,00"],
        ["Durand", "3", "14/07/2016", "20,00"],
        ["Durand Total", "", "", "60,00"],
        ["Grand Total", "", "", "70,00"],
      ],
      [3, 6, 7],
    ],
    [
      "of groups in words that nobody knows, of one row after one of two",
      ["client", "num_commande", "date_billed", "actual_billable_amount"],
      [
        ["Dupont", "1", "13/07/2016", "10,00"],
        ["Dupont", "2", "13/07/2016", "20,00"],
        ["S/T Dupont", "", "", "30,00"],
        ["Durand", "3", "14/07/2016", "40,00"],
        ["S/T Durand", "", "", "40,00"],
        ["TG", "", "", "70,00"],
      ],
      [4, 6, 7],
    ],
    [
      "of other figures of groups",
      ["client", "num_commande", "date_billed", "actual_billable_amount"],
      [
        ["Dupont", "1", "13/07/2016", "10,00"],
        ["Dupont", "2", "13/07/2016", "20,00"],
        ["Nombre Dupont", "", "", "2"],
        ["Durand", "3", "14/07/2016", "40,00"],
        ["Durand Count", "", "", "1"],
      ],
      [4, 6],
    ],
    [
      "whose label is in a column of dates",
      ["date_billed", "actual_billable_amount"],
      [
        ["25/07/2016", "900,00"],
        ["26/07/2016", "300,00"],
        ["Total Dupont", "1200,00"],
        ["27/07/2016", "500,00"],
        ["28/07/2016", "51,20"],
        ["", "551,20"],
      ],
      [4, 7],
    ],
    [
      "of words and a number that is only text",
      ["cle", "libelle", "note", "quantity"],
      [
        ["A1", "x", "a", "1"],
        ["A2", "y", "b", "2"],
        ["", "Total", "", "3"],
      ],
      [4],
    ],
  ])("is found in a table %s", async (_, columns, rows, expected) => {
    expect((await judged(rows, columns)).invalid).toEqual(expected);
  });

  it.each<[string, Rows]>([
    [
      "has a key that is no total's word",
      [
        ["Total SA", "", "", "", "12,00"],
        ["A4", "", "", "", "135,30"],
      ],
    ],
    ["has a date and digits of its own", [["", "551038", "15/07/2016", "Somme", "123,30"]]],
    [
      "begins with a name",
      [
        ["", "551038", "", "Total SA", "12,00"],
        ["", "", "15/07/2016", "Totalisateur", "9,00"],
      ],
    ],
    ["fills more than half and adds up to nothing", [["", "551038", "", "Report à nouveau", "12,00"]]],
    ["is an order of which the amount is no sum", [["", "551038", "", "", "12,00"]]],
  ])("is none if it %s", async (_, more) => {
    const { invalid, sent } = await judged([...BODY, ...more]);
    expect([invalid, sent.length]).toEqual([[], BODY.length + more.length]);
  });

  it("is none if it is an order of 300 without a key below 100 and 200", async () => {
    const rows = [
      ["A1", "551035", "05/07/2016", "100"],
      ["A2", "551036", "13/07/2016", "200"],
      ["", "551037", "14/07/2016", "300"],
    ];
    const columns = ["cle", "num_commande", "date_billed", "actual_billable_amount"];
    expect((await judged(rows, columns)).invalid).toEqual([]);
    expect(
      (
        await judged(
          rows.map(([a, b, , d]) => [a, b, d]),
          columns.toSpliced(2, 1),
        )
      ).invalid,
    ).toEqual([]);
  });

  it("is a named sum with a round amount below other totals, not above them", async () => {
    const columns = ["client", "actual_billable_amount", "num_commande"];
    const named = [
      ["Durand", "900,00", "551050"],
      ["Petit", "", "551051"],
      ["Martin", "1800,00", ""],
      ["Total Dupont", "2700,00", ""],
    ];
    const totals = ["100,00", "200,00"].flatMap((amount) => [
      ["Durand", amount, "551048"],
      ["Martin", amount, "551049"],
      ["Sous-total", amount === "100,00" ? "200,00" : "400,00", ""],
    ]);
    expect((await judged([["x", "1,00", ""], ...named], columns, { otherColumns: "send" })).invalid).toEqual(
      [],
    );
    expect(
      (await judged([["x", "1,00", ""], ...totals, ...named], columns, { otherColumns: "send" })).invalid,
    ).toEqual([5, 8, 12]);
  });

  it("is the named sum of a single amount, in rows that all leave something blank", async () => {
    const columns = ["actual_billable_amount", "ville", "date_closed"];
    const rows = [
      ["", "Paris", "15/08/2022"],
      ["", "Lyon", ""],
      ["11,54", "Lyon", "25/12/2023"],
      ["", "", "26/07/2022"],
      ["11,54", "Total Dupont", ""],
      ["1,50", "Paris", "13/01/2023"],
    ];
    const found = await judged(rows, columns, { otherColumns: "drop" });
    expect(found.invalid).toEqual([6]);
  });

  it("is told by the sum since a total of a column that is left out", async () => {
    const rows = [
      ["A1", "100,00", "x", "7"],
      ["", "", "", "7"],
      ["A2", "20,00", "y", "3"],
      ["A3", "1300,00", "z", "4"],
      ["", "1320,00", "", "7"],
    ];
    const columns = ["cle", "actual_billable_amount", "note", "tax"];
    const { invalid, skipped } = await judged(rows, columns, { drop: ["tax"] });
    expect([invalid, skipped]).toEqual([[6], [3]]);
  });

  it("gives no value to a column that nobody declared", async () => {
    const rows = [
      ["A1", "25/07/2016", "100,00"],
      ["", "Total", "100,00"],
      ["", "TVA 20 %", "20,00"],
    ];
    const columns = ["cle", "quand", "actual_billable_amount"];
    const options = { ...DEFAULT_FIELD_OPTIONS, otherColumns: "send", totals: "skip" } as const;
    const whole = new FieldSurvey(csvReading(columns), options);
    for (const chunk of chunksOf(columns, rows, 2)) whole.addChunk(chunk);
    expect([...whole.otherTypes()]).toEqual([["quand", { kind: "date" }]]);
  });

  it("is none among creates with the amounts of others", async () => {
    const rows = ["10", "20", "30", "60", "60"].map((amount) => ["", amount]);
    expect((await judged(rows, ["cle", "actual_billable_amount"])).invalid).toEqual([]);
  });

  it("is found in JSON", async () => {
    const rows = [
      ["A1", "x", new JsonNumber("1.5"), "a"],
      ["A2", "y", new JsonNumber("2.25"), "b"],
      [undefined, "Total", new JsonNumber("3.75"), null],
      [null, undefined, new JsonNumber("3.75"), ""],
    ];
    const columns = ["cle", "libelle", "actual_billable_amount", "note"];
    expect((await judged(rows, columns, {}, jsonReading())).invalid).toEqual([4, 5]);
  });

  it("is left out with --totals skip, and named", async () => {
    const rows = [...BODY, ["", "", "", "Total", "123,30"], ["", "Total", "", "", "99,00"]];
    const { skipped, invalid, found } = await judged(rows, COLUMNS, { totals: "skip" });
    expect([skipped, invalid]).toEqual([[5, 6], []]);
    expect(found.notices[0]?.text).toBe(
      "2 rows that look like totals are left out (--totals skip): line 5 (Total), line 6 (Total)",
    );
  });

  it("is a row like the others with --totals keep, and named", async () => {
    const { sent, found } = await judged([...BODY, ["", "", "", "Total", "123,30"]], COLUMNS, {
      totals: "keep",
    });
    expect(sent).toEqual([2, 3, 4, 5]);
    expect(found.notices[0]?.text).toBe(
      "1 row that looks like a total is taken as a row (--totals keep): line 5 (Total)",
    );
  });

  it("names --skip-footer where all of them are the last rows", async () => {
    const last = ["", "", "", "Total", "123,30"];
    const { found } = await judged([...BODY, last, last, ["", "", "", "", ""]]);
    expect(found.problems.map(({ hint }) => hint)).toEqual(
      [0, 0].map(() => expect.stringContaining("--skip-footer 2 leaves out the last 2 rows")),
    );
    const { found: middle } = await judged([BODY[0]!, last, ...BODY.slice(1)]);
    expect(middle.problems[0]?.hint).not.toContain("--skip-footer");
  });

  it("holds amounts only, round ones too, beside a column that is left out, in a table with totals", async () => {
    const columns = ["Vencimiento", "IVA", "actual_billable_amount"];
    const rows: Rows = [
      ["20150417", "11560,96", "600,00"],
      ["20150914", "7326,69", "1700,00"],
      ["Subtotal: Peña", "18887,65", "2300,00"],
      ["20160523", "2423,18", "1500,00"],
      ["20161207", "3478,93", "500,00"],
      ["", "5902,11", "2000,00"],
      ["20160928", "12414,11", "1350,00"],
    ];
    const { invalid } = await judged(rows, columns, { drop: ["Vencimiento", "IVA"] });
    expect(invalid).toEqual([4, 7]);
    const untold = rows.filter(([first]) => first !== "Subtotal: Peña");
    expect((await judged(untold, columns, { drop: ["Vencimiento", "IVA"] })).invalid).toEqual([]);
  });

  it("has figures only, without the key that other rows have, beside a column that is sent as it is", async () => {
    const columns = ["cle", "Tax", "actual_billable_amount"];
    const rows: Rows = [
      ["A1", "1244560", "239622,20"],
      ["A2", "1466974", "439569,52"],
      ["", "2711534", "679191,72"],
    ];
    const options = { otherColumns: "send" } as const;
    expect((await judged(rows, columns, options)).invalid).toEqual([4]);
    // A wrong sum, or one that may be chance.
    const other = [...rows.slice(0, 2), ["", "2711534", "679191,73"]];
    expect((await judged(other, columns, options)).invalid).toEqual([]);
    const round = [
      ["A1", "12", "100"],
      ["A2", "13", "200"],
      ["", "25", "300"],
    ];
    // Whole numbers are amounts, and two sums at once are no chance.
    expect((await judged(round, columns, options)).invalid).toEqual([4]);
  });

  it("is the round sum of many amounts, where other rows are as sparse", async () => {
    const amounts = ["1200,00", "800,00", "200,00", "1300,00", "600,00", "1700,00"];
    const rows: Rows = amounts.map((amount, at) => [amount, at === 1 ? "" : "27/09/2016"]);
    const columns = ["actual_billable_amount", "date_billed"];
    expect((await judged([...rows, ["5800,00", ""]], columns)).invalid).toEqual([8]);
    // Fewer rows may add up by chance.
    expect((await judged([...rows.slice(0, 3), ["2200,00", ""]], columns)).invalid).toEqual([]);
  });

  it("is a remark by its words, although no row above can be read", async () => {
    const rows: Rows = [
      ["Édité le 05/08/2016", "", ""],
      ["Fin", "", ""],
    ];
    const columns = ["Remarque", "date_billed", "num_commande"];
    const options = { otherColumns: "send" } as const;
    expect((await judged(rows, columns, options)).invalid).toEqual([2, 3]);
    const list = rows.map(([text = ""]) => [text]);
    expect((await judged(list, ["Remarque"], options)).invalid).toEqual([]);
  });

  it("is a remark alone in the column of keys, where a constant would make it a record", async () => {
    const columns = ["cle", "num_commande"];
    const words: Rows = [
      ["A", "1"],
      ["B", "2"],
    ];
    const remark = ["Extraction du 05/08/2016", ""];
    const options = { set: new Map([["state", "open"]]) };
    expect((await judged([...words, remark], columns, options)).invalid).toEqual([4]);
    expect(await judged([...words, remark], columns)).toMatchObject({ invalid: [], skipped: [4] });
    const digits: Rows = [
      ["A1", "1"],
      ["A2", "2"],
    ];
    expect((await judged([...digits, ["Fin", ""]], columns, options)).invalid).toEqual([4]);
    const keys = ["FIN-12", "C9", "Lot 12"].map((key) => [key, ""]);
    expect((await judged([...digits, ...keys], columns, options)).invalid).toEqual([]);
  });

  it("is a heading or a footer: words alone, where all rows have a date or an amount", async () => {
    const columns = ["Compte", "Libelle", "date_billed", "actual_billable_amount"];
    const options = { otherColumns: "send" } as const;
    const rows: Rows = [
      ["411DUP", "Ecran", "05/07/2016", "100,10"],
      ["411DUP", "Clavier", "13/07/2016", "20,00"],
    ];
    const words: Rows = [
      ["Page 2", "", "", ""],
      ["SARL MARTIN", "", "", ""],
      ["", "Visa du comptable", "", ""],
      ["", "", "Bon pour accord", ""],
      ["Sage 100", "", "", "Page 2"],
      ["411000", "Clients", "", ""],
    ];
    expect((await judged([...rows, ...words], columns, options)).invalid).toEqual([4, 5, 6, 7, 8, 9]);
    expect((await judged([["411000", "Clients", "", ""], ...rows], columns, options)).invalid).toEqual([2]);
    const amounts: Rows = rows.map(([account = "", label = "", , amount = ""]) => [
      account,
      label,
      "x",
      amount,
    ]);
    const untimed = ["Compte", "Libelle", "Note", "actual_billable_amount"];
    expect((await judged([...amounts, ["Page 2", "", "", ""]], untimed, options)).invalid).toEqual([4]);
    // An account without movement.
    expect((await judged([...amounts, ["101000", "Capital", "", ""]], untimed, options)).invalid).toEqual([]);
    expect((await judged([...rows, ["411ZOL", "Vis", "", "3,20"]], columns, options)).invalid).toEqual([]);
    const lines: Rows = rows.map(([account = "", label = "", date = ""]) => [account, label, date, "2"]);
    const quantities = ["Compte", "Libelle", "date_billed", "Quantite"];
    expect((await judged([...lines, ["", "Souris", "", "1"]], quantities, options)).invalid).toEqual([]);
  });

  it("is the sum of the rows since the total before, whatever pages are between", async () => {
    const row = (name: string, amount: string): readonly Cell[] => ["VE", name, "13/07/2016", amount];
    const page: readonly Cell[] = ["Page 2", "", "", ""];
    const total = (amount: string): readonly Cell[] => ["", "Total Dupont", "", amount];
    const rows = [
      row("a", "10,10"),
      row("b", "2,20"),
      total("12,30"),
      row("c", "100,10"),
      page,
      row("d", "3,20"),
      total("103,30"),
    ];
    const columns = ["Journal", "Tiers", "date_billed", "actual_billable_amount"];
    expect((await judged(rows, columns, { otherColumns: "send" })).invalid).toEqual([4, 6, 8]);
  });

  it("is found in columns of text that hold numbers, declared or not, until one is no number", async () => {
    const columns = ["Compte", "Libelle", "Debit", "Credit"];
    const rows = (mark: string): Rows => [
      ["411DUP", "a", `1437${mark}50`, `0${mark}00`],
      ["411DUP", "b", `595${mark}00`, `0${mark}00`],
      ["Total 411DUP", "", `2032${mark}50`, `0${mark}00`],
      ["411ZOL", "c", `12${mark}00`, `0${mark}00`],
      ["", "", `12${mark}00`, ""],
      ["", "", `2044${mark}50`, `0${mark}00`],
    ];
    const open = { otherColumns: "send" } as const;
    expect((await judged(rows("."), columns, open)).invalid).toEqual([4, 6, 7]);
    const text = { kind: "text" } as const;
    const types = new Map(columns.map((name) => [name, text]));
    expect((await judged(rows("."), columns, { types })).invalid).toEqual([4, 6, 7]);
    expect((await judged(rows(","), columns, { types })).invalid).toEqual([4, 6, 7]);
    const numbers = rows(".").map((row) =>
      row.map((cell) => (typeof cell === "string" && /^\d+\.\d+$/.test(cell) ? new JsonNumber(cell) : cell)),
    );
    expect((await judged(numbers, columns, open, jsonReading())).invalid).toEqual([4, 6, 7]);
    const free: Rows = [["411GRA", "d", "gratuit", "0.00"]];
    expect((await judged([...free, ["", "", "2044.50", ""]], columns, { types })).invalid).toEqual([]);
  });

  it("is named in a column of whole numbers that is sent as it is, if it leaves blank what all rows fill", async () => {
    const columns = ["Agence", "Mois", "Nb"];
    const rows: Rows = [
      ["Nord", "2016-07", "12"],
      ["Sud", "2016-07", "3"],
    ];
    const open = { otherColumns: "send" } as const;
    expect((await judged([...rows, ["Total Région", "", "15"]], columns, open)).invalid).toEqual([4]);
    expect((await judged([...rows, ["Total Energies", "2016-07", "15"]], columns, open)).invalid).toEqual([]);
    // Whole numbers are amounts, and a row that has nothing else is like no other.
    expect((await judged([...rows, ["", "", "15"]], columns, open)).invalid).toEqual([4]);
  });

  it("is no heading among rows that need no date, in a list of names, or with a key", async () => {
    const options = { otherColumns: "send" } as const;
    const columns = ["Client", "Objet", "date_billed", "note"];
    const open: Rows = [
      ["Dupont", "Visite", "", "a"],
      ["Martin", "Devis", "13/07/2016", "b"],
    ];
    expect((await judged([...open, ["Zola", "", "", ""]], columns, options)).invalid).toEqual([]);
    const names: Rows = [
      ["Dupont", "13/07/2016"],
      ["Zola", ""],
    ];
    expect((await judged(names, ["Client", "date_billed"], options)).invalid).toEqual([]);
    expect((await judged([...BODY, ["A4", "", "", "Vis", ""]])).invalid).toEqual([]);
    const first = [["Zola"], ...open.map(([client, object, , note]) => [client, object, "13/07/2016", note])];
    expect((await judged(first, columns, options, jsonReading())).invalid).toEqual([]);
  });

  it("has a name behind its word and is the sum of one row, in a table with totals", async () => {
    const columns = ["actual_billable_amount", "Plaats"];
    const group: Rows = [
      ["150,00", "Breda"],
      ["", "Haarlem"],
      ["150,00", "Totaal De Vries BV"],
      ["800,00", "Utrecht"],
    ];
    const total: Rows = [
      ["400,00", "Breda"],
      ["500,00", "Breda"],
      ["900,00", "Subtotaal"],
    ];
    const options = { otherColumns: "send" } as const;
    expect((await judged([...total, ...group], columns, options)).invalid).toEqual([4, 7]);
    expect((await judged(group, columns, options)).invalid).toEqual([]);
  });

  it("has a name behind its word where keys hold figures, and an amount whose sum nobody knows", async () => {
    const columns = ["cle", "num_commande", "actual_billable_amount", "BTW"];
    const reading = jsonReading();
    const row = (key: string, amount: string, tax: string): readonly Cell[] => [
      key,
      "551035",
      new JsonNumber(amount),
      new JsonNumber(tax),
    ];
    const rows = (first: string): Rows => [
      row("FR1", "10.10", "1.10"),
      row("FR2", "20.10", "2.10"),
      [first, undefined, new JsonNumber("30.20"), new JsonNumber("3.20")],
      row("FR3", "11.10", "1.20"),
      row("FR4", "21.10", "2.20"),
      ["Totaal Bakkerij Daniël", undefined, undefined, new JsonNumber("3.40")],
      row("FR5", "12.10", "1.30"),
    ];
    const options = { otherColumns: "send" } as const;
    const { invalid } = await judged(rows("Subtotaal: Care"), columns, options, reading);
    expect(invalid).toHaveLength(2);
  });

  it("is named in the column of keys, also among keys that mean no value", async () => {
    const columns = ["num_commande", "cle", "actual_billable_amount"];
    const rows: Rows = [
      ["551035", "F64931", "567,3"],
      ["", "(vide)", "46393,7"],
      ["551037", "#N/A", "162284,1"],
      ["551038", "F64934", "12961,4"],
      ["", "", ""],
      ["", "Anfangssaldo", "6515156,9"],
    ];
    expect((await judged(rows, columns)).invalid).toEqual([3, 4, 7]);
  });

  it("is found by its sum under any decimal mark, whatever stands between", async () => {
    const amount = fc.integer({ min: 1, max: 10_000_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(amount, { minLength: 2, maxLength: 12 }),
        fc.constantFrom(",", "."),
        fc.nat(3),
        async (units, mark, decimals) => {
          const show = (value: number): string => {
            const digits = String(value).padStart(decimals + 1, "0");
            const whole = digits.slice(0, digits.length - decimals);
            return decimals === 0 ? whole : `${whole}${mark}${digits.slice(-decimals)}`;
          };
          const body = units.map((value, at) => [`A${at}`, "x", "y", show(value)]);
          const sum = show(units.reduce((sum, value) => sum + value, 0));
          const columns = ["cle", "libelle", "note", "actual_billable_amount"];
          const pins = { decimal: mark } as const;
          const { invalid } = await judged([...body, ["", "", "", sum]], columns, { pins });
          expect(invalid).toEqual([units.length + 2]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
