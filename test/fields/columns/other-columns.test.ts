import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeIdentifier } from "../../../src/fields/columns/column-faults.ts";
import { createHeaderTest } from "../../../src/fields/columns/other-columns.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import { type Cell, NestedValue } from "../../../src/model/rows.ts";
import { recordJson } from "../../../src/model/settlement.ts";
import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";
import { makeRecords } from "../../support/make-records.ts";
import { parted } from "../../support/parted.ts";
import { chunkOf, failureOf, jsonReading, surveyAll } from "../survey/survey-support.ts";
import { DROP, found, keep, map, type Options, refused, SEND, types } from "./columns-support.ts";

function fieldsOf(headers: readonly string[], options: Options) {
  return found(headers, [], options).columns.map(({ field }) => field);
}

async function sent(headers: readonly string[], rows: readonly (readonly Cell[])[], options: Options) {
  const { plan } = found(headers, rows, options);
  const { records } = makeRecords(plan, [chunkOf(headers, rows)]);
  return records.map((record) => JSON.parse(recordJson(record)) as unknown);
}

/** A question is as good as right records; any other failure is not. */
function ignoreQuestion(error: unknown): never[] {
  if (error instanceof RecPushError && error.kind === "input") return [];
  throw error;
}

function orQuestion<T>(call: () => readonly T[]): readonly T[] {
  try {
    return call();
  } catch (error) {
    return ignoreQuestion(error);
  }
}

describe("a column that nobody declared", () => {
  it("whose name says dates, but not all of its values, may be read as dates", () => {
    const rows = [["20191011"], ["Seite 1"]];
    expect(refused(["Fällig am"], rows, SEND).hint).toContain("--type fallig_am=date");
    expect(refused(["Fällig am"], [["Woche 41"], ["41/2019"]], SEND).hint).not.toContain("=date");
  });

  it("is asked about in one line with columns that have no name, and with words for no value in dates", () => {
    const rows = ["1|x|2016-07-05", "2|z|NULL", "3|y|2016-07-06"].map((row) => row.split("|"));
    const headers = ["", "client", "shipped"];
    const { hint, message } = refused(headers, rows);
    expect(hint).toContain(
      "add --map 1=column_1 --type column_1=amount --type client=text --type shipped=date --null NULL\n",
    );
    expect(message).toContain(
      '("2016-07-05", "NULL", "2016-07-06"; "NULL" means no value, here and in every column)',
    );
  });

  it("is not asked about as long as it is empty", () => {
    const headers = ["cle", "num_commande", "note", "clef", "num_invoice2"];
    const rows = [["K1", "1", "", " ", ""]];
    const { columns } = found(headers, rows);
    const fields = columns.map(({ field, isUndeclared }) => field ?? isUndeclared);
    expect(fields).toEqual(["cle", "num_commande", true, true, true]);
    expect(refused(headers, [...rows, ["K2", "2", "x", "", ""]]).message).toContain(
      'column 3 "note" is not declared; it would be note, text ("x")',
    );
    // With --empty send the cells would blank the fields.
    expect(refused(headers, rows, { empty: "send" }).code).toBe("near-miss");
  });

  it("stops the run, all of them at once with one line", () => {
    const rows = [["K1", "x", "13/07/2016", "1 437,50"]];
    const { kind, code, message, hint } = refused(["cle", "note", "Le", "Prix HT"], rows);
    expect({ kind, code }).toEqual({ kind: "input", code: "undeclared-columns" });
    expect(message).toBe(
      "orders.csv:1: 3 questions about its columns\n" +
        '  column 2 "note" is not declared; it would be note, text ("x")\n' +
        '  column 3 "Le" is not declared; it would be le, date ("13/07/2016")\n' +
        '  column 4 "Prix HT" is not declared; it would be prix_ht, amount ("1 437,50")',
    );
    expect(hint).toBe(
      'add --type note=text --map Le=le --type le=date --map "Prix HT=prix_ht" --type prix_ht=amount\n' +
        "--other-columns send sends all columns that are not declared, --other-columns drop leaves them out",
    );
  });

  it.each<[string, Options]>([
    ["--type", types("note=text")],
    ["--map", map("note=note")],
    ["--map to another field", map("note=memo")],
    ["--set and --drop", { set: new Map([["note", "x"]]), drop: ["note"] }],
    ["a rule", { fields: new Map([["note", { required: true }]]) }],
    ["--keep", keep("cle,note")],
    ["--keep by position", keep("1,2")],
    ["--drop", { drop: ["note"] }],
    ["--keep of the others", keep("cle,num_commande")],
  ])("is answered by %s", (_, options) => {
    expect(() => found(["cle", "note", "num_commande"], [["K", "x", "1"]], options)).not.toThrow();
  });

  it("is a member of any record of JSON", () => {
    const columns = ["cle", "num_commande", "note", "lines", "customer"];
    const chunks = [
      chunkOf(columns.slice(0, 2), [["K1", "1"]]),
      chunkOf(columns, [["K2", "2", "x", new NestedValue("array"), new NestedValue("object")]], 3),
    ];
    const { message, hint } = failureOf(() =>
      surveyAll(jsonReading(), chunks, DEFAULT_FIELD_OPTIONS).survey.finish(),
    );
    expect(message).toContain('member "note" is not declared; it would be note, text ("x")');
    expect(message).toContain('member "lines" holds JSON arrays');
    expect(hint).toContain("add --type note=text --drop lines --flatten\n");
  });

  it("is no part of the ready line where its values may be dates: they would go out as they are written", () => {
    const error = refused(["cle", "Tag", "note"], [["K1", "05.07.16", "x"]]);
    expect(error.hint).toBe(
      [
        "add --type note=text",
        "--map Tag=tag --type tag=date or --map Tag=tag --type tag=text says which",
        "--other-columns send sends all columns that are not declared, --other-columns drop leaves them out",
      ].join("\n"),
    );
  });

  it("is sent as what its values are by the line for a file without a header", () => {
    const headers = ["1", "2", "3"];
    const rows = [["A1", "13/07/2016", "1 437,50"]];
    expect(refused(headers, rows, {}, true).hint).toContain(
      "add --map 1=column_1 --map 2=column_2 --type column_2=date --map 3=column_3 --type column_3=amount",
    );
  });
});

describe("--other-columns send", () => {
  it.each(["Order No|order_no", "Order No|Order-No", "note|Note", "Prénom|PRENOM"])(
    "stops where two collide: %s",
    (headers) => {
      const error = refused(["cle", ...headers.split("|")], [], SEND);
      expect(error).toMatchObject({ kind: "input", code: "repeated-field" });
    },
  );

  it("asks about a name that no field can have", () => {
    for (const header of [...parted`€|2016|Сумма|日付|a;b|a "b"`, "a\nb", `${"x".repeat(129)} y`])
      expect(refused(["cle", header], [["K", "x"]], SEND).code).toBe("undeclared-columns");
  });

  const columnOf = (cells: string) => cells.split("|").map((cell, at) => [`K${at}`, cell]);

  it.each([
    ["amount", "x", ["5|0|12", "984.79| 12.00 |+12.00", "-100|-250", "150|250", "732 829 320|552 100 554"]],
    ["amount", "Prix", ["1500|2500"]],
    ["digits", "x", ["00123|75001", '="0012"|75001', "1500|2500"]],
    ["digits", "N° client", ["7|12"]],
    ["digits", "TVA intra", ["01234567|71234567"]],
    ["text", "x", ["+33612345678|+33612345679", "2016-07-13T14:00:00Z|2016-07-14T00:00:00Z", "10 %|5,5 %|0"]],
    ["text", "Produit", ["GEL 50|GEL 100"]],
    ["text", "Date", ["Pending|none"]],
    ["text", "note", ["x|13/07/2016", "x|y|z|13/07/2016|w", "x|y|z|u|v|13/07/2016|14/07/2016"]],
    ["text", "Discount Code", ["WELCOME-10|SUMMER"]],
    ["date", "EcritureDate", ["20240115|20240229"]],
    ["date", "Datum", ["13.07.99|14.07.99"]],
    ["date", "x", ["2016-07-13T00:00:00Z|2016-07-14T00:00:00Z"]],
  ])("takes for %s what %s holds: %j", (type, header, columns) => {
    for (const cells of columns) {
      const { columns } = found(["cle", header], columnOf(cells), SEND);
      expect([cells, columns[1]?.type]).toEqual([cells, type]);
    }
  });

  it.each([
    ["Order Date", "42556|42557", "date:excel|text"],
    ["created", "1467700000|1467700001", "date:epoch|text"],
    ["EcritureDate", "20240115|20241301", "text|--drop"],
    ["Échéance", "13/07/2016|14/07/2016|Pending", "date|date --null Pending|text"],
    ["Période au on", "x|2019-02-15/2022-02-14", "text|--drop"],
    ["Amount", "1,500.00 DR|250.00 CR", "text|--drop"],
    ["Amount", "1,23,456.00|5,250.00", "amount|text"],
    ["Gross", "USD 5|USD 12", "amount|text"],
    ["Solde", "005|0012", "digits|amount|text"],
    ["x", "005|12,50", "amount|text"],
  ])("asks about %s where it holds %s", (header, cells, types) => {
    const { choices, options } = refused(["cle", header], columnOf(cells));
    expect(options).toEqual([]);
    const answers = choices?.[0]?.answers.map((answer) =>
      answer.replace(/^.*?--type \w+=|^(--drop).*/, "$1"),
    );
    expect(answers?.join("|")).toBe(types);
  });

  it.each([
    ["days and months that may be swapped", "05/07/2016|06/07/2016", "ambiguous-date"],
    ["orders that contradict each other", "13/07/2016|07/13/2016", "contradicting-formats"],
    ["a time of day that would be lost", "13/07/2016 14:00|14/07/2016 00:00", "undeclared-type"],
    ["groups that may be decimals", "1.459|2.123", "ambiguous-amount"],
    ["a leading zero", "005 520 135|1 250,00", "undeclared-type"],
    ["a third of dates", "x|y|z|u|13/07/2016|14/07/2016", "undeclared-type"],
    ["dates and a word", "13/07/2016|14/07/2016|bientôt", "undeclared-type"],
    ["amounts and words", "1 250,00 €|13,50 €|sur devis|offert", "undeclared-type"],
    ["amounts before letters that may be a currency", "CHF 1'250.00|CHF 12.50", "undeclared-type"],
    ["nothing but words for no value", "NULL|NULL", "undeclared-type"],
    ["digits between dots", "1.10.16|2.11.16", "undeclared-type"],
  ])("stops where the type is not certain: %s", (_, cells, code) => {
    const rows = columnOf(cells);
    expect(refused(["cle", "x"], rows, SEND)).toMatchObject({ kind: "input", code });
    // It is sent as text only because the user said so.
    expect(found(["cle", "x"], rows, { ...SEND, ...types("x=text") }).counts.updates).toBe(rows.length);
  });

  it("never sends a raw date or amount", async () => {
    const date = fc
      .date({ min: new Date("1990-01-01"), max: new Date("2025-12-31"), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10).split("-").reverse().join("/"));
    const amount = fc
      .integer({ min: 1, max: 99_999_999 })
      .map(
        (cents) =>
          `${String(Math.trunc(cents / 100)).replace(/(?=(\d{3})+$)\B/g, " ")},${String(cents % 100).padStart(2, "0")}`,
      );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(date, amount), { minLength: 1, maxLength: 20 }), async (cells) => {
        const rows = cells.map(([day, price], at) => [`K${at}`, day, price]);
        const records = await sent(["cle", "Jour", "Prix"], rows, SEND).catch(ignoreQuestion);
        for (const [at, record] of records.entries()) {
          const [, day = "", price = ""] = rows[at]!;
          expect(record).toEqual({
            cle: `K${at}`,
            jour: day.split("/").reverse().join("-"),
            prix: price.replaceAll(" ", "").replace(",", "."),
          });
        }
      }),
    );
  });
});

describe("--other-columns drop", () => {
  it("leaves them out, but for one that looks like a declared field without a column", () => {
    const fields = fieldsOf(["cle", "num_commande", "note", "Σ"], DROP);
    expect(fields).toEqual(["cle", "num_commande", undefined, undefined]);
    expect(refused(["cle", "num_comande"], [], DROP)).toMatchObject({ code: "near-miss" });
    expect(refused(["clef", "num_commande"], [["a", "1"]], DROP)).toMatchObject({ code: "near-miss" });
  });
});

describe("a name made an identifier", () => {
  const header = fc.string({ unit: fc.constantFrom(...Array.from("aAéÉœ09 _-./°€(;")), maxLength: 8 });

  it("is one, stays what it is, and is matched by the name it was made of", () => {
    fc.assert(
      fc.property(header, (name) => {
        const made = makeIdentifier(name.trim());
        if (made === undefined) return;
        expect(made).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
        expect(makeIdentifier(made)).toBe(made);
      }),
    );
  });

  it("never sends two columns to one field", () => {
    fc.assert(
      fc.property(fc.uniqueArray(header, { maxLength: 6, selector: (name) => name.trim() }), (names) => {
        const headers = names.filter((name) => name.trim() !== "");
        const filled = [headers.map(() => "x")];
        const fields = orQuestion(() => found(headers, filled, SEND).columns.map(({ field }) => field));
        expect(new Set(fields.map((field) => field?.toLowerCase())).size).toBe(fields.length);
      }),
    );
  });
});

it("a cell is a known header if a field, --map or --drop names it", () => {
  const map = [{ column: "Order No", field: "order_no" }];
  const isKnown = createHeaderTest({ ...DEFAULT_FIELD_OPTIONS, map, drop: ["Remarks"] });
  const known = ["cle", "Clé", "Num Commande", "Order No", "remarks"];
  expect([...known, "", "Export of July", "clef"].filter(isKnown)).toEqual(known);
});
