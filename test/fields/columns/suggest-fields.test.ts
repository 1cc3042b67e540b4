import { describe, expect, it } from "vitest";
import { isKeyName } from "../../../src/fields/columns/name-kinds.ts";
import type { RecPushError } from "../../../src/model/failure.ts";
import { parted } from "../../support/parted.ts";
import { type Options, refused } from "./columns-support.ts";

const VALUES = { digits: "551035", date: "13/07/2016", amount: "1 437,50", text: "abc" } as const;

/** The question about a file of one row, whose cells have these values. */
function questionOf(columns: Readonly<Record<string, string>>, options: Options = {}): RecPushError {
  return refused(Object.keys(columns), [Object.values(columns)], options);
}

const readyLine = (error: RecPushError): string => (error.hint ?? "").split("\n")[0]!;

describe("a column that is called like a declared field in other words", () => {
  const FIELDS = ["num_commande", "num_invoice", "date_billed", "date_closed", "actual_billable_amount"];

  it.each<[keyof typeof VALUES, string, string]>([
    ["digits", "num_commande", "N° commande|Numéro de commande|Commande|Order ID|orderNo|Bestellnummer"],
    ["digits", "num_commande", "Auftragsnummer|N.º de pedido|Numero ordine|N° BC|Cde|N° cde"],
    ["digits", "num_invoice", "N° facture|Invoice number|Rechnungsnummer|Número de factura|Numero fattura"],
    ["date", "date_billed", "Date de facturation|Date facture|Invoice date|Rechnungsdatum"],
    ["date", "date_billed", "Fecha de factura|Data fattura|Date fact.|Dt fact"],
    ["date", "date_closed", "Date de clôture|Closing date|Closed Date|Date clôt.|Dt clôt"],
    ["amount", "actual_billable_amount", "Montant HT facturé|Betrag|Importe total|Mt HT|Total HT"],
    // Without a suggestion: other values, or other words.
    ["text", "", "Auftrags-Nr.|N° commande"],
    ["digits", "", "Date de facturation|N° client|Commande client|Référence commande"],
    ["date", "", "Date|Date de commande"],
    ["amount", "", "Montant commande"],
  ])("is proposed for it where its values are such: %s, %s: %s", (kind, field, headers) => {
    for (const header of headers.split("|")) {
      const line = readyLine(questionOf({ cle: "K1", [header]: VALUES[kind] }));
      const proposed = FIELDS.filter((known) => line.endsWith(`=${known}`) || line.endsWith(`=${known}"`));
      expect([header, ...proposed]).toEqual(field === "" ? [header] : [header, field]);
    }
  });
});

describe("a misspelt header", () => {
  it.each([
    ["num_comande", "551035", "num_commande"],
    ["Num commandes", "551035", "num_commande"],
    ["date bileld", "13/07/2016", "date_billed"],
    ["num_invoic", "7", "num_invoice"],
    ["numero_commandes", "551035", undefined],
    ["date_bill", "13/07/2016", undefined],
    ["num_comande", "A12", undefined],
    ["date_closd", "x", undefined],
  ])("is one letter from a field, and its values fit: %s with %s", (header, value, field) => {
    const line = readyLine(questionOf({ cle: "K1", [header]: value }));
    expect(/=(num_commande|num_invoice|date_billed|date_closed)"?$/.exec(line)?.[1]).toBe(field);
  });

  it("is not meant where several fields are as near, and never short", () => {
    const fields = new Map(["montant_h", "montant_t", "prix", "rang"].map((name) => [name, {}]));
    for (const header of ["montant_x", "prux", "rong"])
      expect(questionOf({ cle: "K", [header]: "x" }, { fields }).message).toContain("is not declared");
  });
});

describe("a column with the name of a key, where nothing is the key", () => {
  it.each(parted`id|ID|Réf|Réf.|Référence|Code|key|N° fiche|ID fiche|Identifiant|Codice`)(
    "is asked about, and not in the line: %s",
    (header) => {
      const error = questionOf({ [header]: "R1", num_commande: "1" });
      expect(error.message).toContain("may be the key cle");
      expect(error.hint).toMatch(
        /^column 1 .* is the key: 1 update, 0 creates: --map .*=cle"?\nnone of them: 0 updates, 1 create: --only creates /,
      );
      expect(error.options).toEqual([]);
    },
  );

  it("is one that names what the rows are, and no part of them", () => {
    const keys = parted`Matricule|Compte|N° client|Code client|Customer ID|External ID|Réf. fiche|order_cle`;
    const others = parted`Code postal|Référence article|Commande|note|Clt|Cde|Cli|Cie|Cte|clé2`;
    expect([...keys, ...others].filter(isKeyName)).toEqual(keys);
  });

  it("is one question for all that may be it, with updates and creates, and says of the others what they are", () => {
    const rows = ["7001|A|1", "7002|B|2", "7002|B|2"].map((row) => row.split("|"));
    const { choices, options } = refused(["Code", "Réf.", "num_commande"], rows);
    expect(options).toEqual([]);
    expect(choices).toEqual([
      {
        question: expect.stringContaining('column 1 "Code" or column 2 "Réf." may be the key cle') as unknown,
        answers: [
          '--map Code=cle --map "Réf.=ref"',
          '--map "Réf.=cle" --map Code=code --type code=digits',
          '--only creates --map Code=code --type code=digits --map "Réf.=ref"',
        ],
        effects: [
          'column 1 "Code" is the key: 3 updates, 0 creates',
          'column 2 "Réf." is the key: 3 updates, 0 creates',
          "none of them: 0 updates, 3 creates",
        ],
      },
    ]);
  });

  it.each([
    ["it is empty in a row", ["7001", ""]],
    ["rows that differ have the same", ["7001", "7001"]],
    ["a row has a word for no value", ["7001", "NULL"]],
  ])("is a column like others where %s", (_, codes) => {
    const rows = codes.map((code, at) => [code, String(at)]);
    expect(refused(["Code", "num_commande"], rows).message).toContain('column 1 "Code" is not declared');
  });

  it("is asked about under --other-columns too, not where a column is the key or only creates are allowed", () => {
    const columns = { Code: "R1", num_commande: "1" };
    for (const otherColumns of ["send", "drop"] as const)
      expect(questionOf(columns, { otherColumns }).message).toContain("may be the key");
    expect(questionOf({ cle: "K", Code: "R1" }).message).not.toContain("may be the key");
    expect(questionOf(columns, { only: "creates" }).message).not.toContain("may be");
  });
});
