import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecPushError } from "../../../src/model/failure.ts";
import { parted } from "../../support/parted.ts";
import { drop, found, keep, map, type Options, refused, SEND, types } from "./columns-support.ts";

function fieldsOf(
  headers: readonly string[],
  options: Options = {},
  headerless = false,
): (string | undefined)[] {
  return settled(headers, options, headerless).map(({ field }) => field);
}

function typesOf(headers: readonly string[], options: Options = {}): (string | undefined)[] {
  return settled(headers, options).map(({ type }) => type);
}

// The only undeclared column of a file without rows would be taken for a message.
function settled(headers: readonly string[], options: Options, headerless = false) {
  const all = headerless ? headers : [...headers, "another"];
  return found(all, [], { ...SEND, ...options }, headerless).columns.slice(0, headers.length);
}

// An undeclared column is only asked about if it holds something.
const rowOf = (headers: readonly string[]) => [
  headers.map((header) => (header.startsWith("num") ? "1" : "x")),
];

function refusal(headers: readonly string[], options: Options = {}, headerless = false) {
  return refused(headers, rowOf(headers), options, headerless);
}

describe("matching headers to fields", () => {
  it.each([
    ["cle", "cle|Clé|CLE| cle |\ufeffcle"],
    ["num_commande", "Num Commande|NUM-COMMANDE"],
    ["num_invoice", "num.invoice"],
    ["date_billed", "Date billed"],
    ["date_closed", "date\u00a0closed"],
    ["actual_billable_amount", "Actual Billable Amount"],
    ["statut", "statut|Statut"],
    ["_x1", "_x1"],
  ])("sends as %s what is called %s", (field, headers) => {
    for (const header of headers.split("|")) expect([header, fieldsOf([header])]).toEqual([header, [field]]);
  });

  it("matches declared fields as it matches built-in ones", () => {
    const fields = new Map([["code_client", { type: { kind: "digits" } as const }]]);
    expect(fieldsOf(["Code client"], { fields })).toEqual(["code_client"]);
    expect(typesOf(["Code client"], { fields })).toEqual(["digits"]);
    expect(fieldsOf(["Code client"], types("code_client=text"))).toEqual(["code_client"]);
  });

  it("prefers the exact name of a declared field", () => {
    const headers = ["statut", "Statut"];
    expect(fieldsOf(headers, types("statut=text", "Statut=digits"))).toEqual(headers);
  });

  it.each([
    ["text", "cle date_ date amount update_x statut"],
    ["digits", "num_commande num_invoice"],
    ["date", "date_billed date_closed date_livraison DATE_LIVRAISON"],
    ["amount", "actual_billable_amount tax_amount"],
  ])("takes for %s: %s", (type, headers) => {
    for (const header of headers.split(" ")) expect([header, typesOf([header])]).toEqual([header, [type]]);
  });

  it("matches a header that is no exact name to none of two fields that differ in case", () => {
    const options = { fields: new Map(["ville", "VILLE"].map((field) => [field, {}])) };
    expect(fieldsOf(["Vi lle"], options)).toEqual(["vi_lle"]);
    expect(fieldsOf(["VILLE", "ville"], options)).toEqual(["VILLE", "ville"]);
  });

  it("leaves the columns of a rejects file out", () => {
    const headers = ["_rejected_line", "_rejected_reason", "_later_line", "cle", "a"];
    expect(fieldsOf(headers)).toEqual([undefined, undefined, undefined, "cle", "a"]);
  });
});

describe("--map, --drop and --keep", () => {
  it.each<[string, string[], Options, (string | undefined)[]]>([
    ["an exact header", ["Order No", "a"], map("Order No=num_commande"), ["num_commande", "a"]],
    ["a header in another case", ["Order No", "a"], map("order_no=num_commande"), ["num_commande", "a"]],
    ["a position", ["Order No", "a"], map("1=num_commande"), ["num_commande", "a"]],
    ["an exact header before an alike one", ["A B", "a b"], map("a b=x", "A B=y"), ["y", "x"]],
    ["a header that is a number before the position", ["b", "1"], map("1=x"), ["b", "x"]],
    ["a column without a name", ["", "a"], map("1=x"), ["x", "a"]],
    ["a name that may stay", ["clef"], map("clef=clef"), ["clef"]],
    ["a dropped header", ["a", "B b"], drop("B b"), ["a", undefined]],
    ["a dropped position", ["a", "B b"], drop("2"), ["a", undefined]],
    ["both columns of one name", ["a", "B b", "B b"], drop("B b"), ["a", undefined, undefined]],
    ["one column of two of one name", ["a", "b", "b"], drop("3"), ["a", "b", undefined]],
    ["two columns of one name", ["b", "b"], map("1=x", "2=y"), ["x", "y"]],
    ["a kept header", ["Clé", "a", "Order No", ""], keep("cle,a"), ["cle", "a", undefined, undefined]],
    ["a kept header that is mapped", ["A b", "a"], { ...map("1=n"), ...keep("A b") }, ["n", undefined]],
    ["a kept position", ["a", "b"], keep("2"), [undefined, "b"]],
    ["no key by the user's word", ["cle", "a"], drop("cle"), [undefined, "a"]],
  ])("take %s", (_, headers, options, fields) => {
    expect(fieldsOf(headers, options)).toEqual(fields);
  });

  it.each<[string, string[], Options, string]>([
    ["an unknown header", ["Order No"], map("Ordre=num_commande"), "unknown-column"],
    ["a position beyond the last", ["a"], map("2=x"), "unknown-column"],
    ["position 0", ["a"], map("0=x"), "unknown-column"],
    ["an unknown header to drop", ["a"], drop("b"), "unknown-column"],
    ["an unknown column to keep", ["a"], keep("b"), "unknown-column"],
    ["a type of an unknown field", ["a"], types("b=date"), "unknown-column"],
    ["one of two columns of one name", ["a", "a"], map("a=x"), "ambiguous-column"],
    ["one of two columns alike", ["a b", "a-b"], drop("A B"), "ambiguous-column"],
    ["a column twice", ["a b"], map("a b=x", "1=y"), "contradicting-options"],
    ["a column mapped and dropped", ["a b"], { ...map("a b=x"), ...drop("1") }, "contradicting-options"],
    ["no key without saying so", ["cle", "a"], keep("a"), "contradicting-options"],
    ["a constant for a field with a column", ["a"], { set: new Map([["a", "x"]]) }, "contradicting-options"],
  ])("refuse %s", (_, headers, options, code) => {
    expect(refusal(headers, options)).toMatchObject({ kind: "usage", code });
  });

  it("name the first columns that there are", () => {
    const { message } = refusal(["cle", "Montant HT", "a", "", "c", "d", "e", "f"], map("montant=x"));
    expect(message).toBe(
      'orders.csv:1: --map montant=x: there is no such column among column 1 "cle", column 2 "Montant HT", column 3 "a", column 5 "c", column 6 "d" and 2 others',
    );
  });
});

describe("columns that leave a question", () => {
  const KEY = "is the key: 1 update, 0 creates:";

  it.each<[string, string[], string, string]>([
    ["another word for the key", ["clef", "a"], "near-miss", `column 1 "clef" ${KEY} --map clef=cle\n`],
    ["a near miss", ["cle", "num_comande"], "near-miss", "add --map num_comande=num_commande"],
    ["a near miss to quote", ["cle", "num. comande"], "near-miss", 'add --map "num. comande=num_commande"'],
    ["id without cle", ["ID", "a"], "near-miss", `${KEY} --map ID=cle`],
    ["key without cle", ["key", "a"], "near-miss", `${KEY} --map key=cle`],
    ["a header that cannot be a field", ["Order No"], "undeclared-columns", 'add --map "Order No=order_no"'],
    ["a header that a terminal would hide", ["a\u001b[2J b"], "undeclared-columns", "add --map 1=column_1"],
    ["a header with a dollar", ["$a b"], "undeclared-columns", "add --map 1=a_b"],
    ["two columns of one name", ["a", "a"], "repeated-header", "--drop 2 leaves one out"],
    ["two columns to one field", ["cle", "Clé"], "repeated-field", '--map "Clé=cle_2" sends it'],
  ])("stop the run: %s", (_, headers, code, hint) => {
    const error = refusal(headers);
    expect(error).toMatchObject({ kind: "input", code, place: { file: "orders.csv", line: 1 } });
    expect(error.hint).toContain(hint);
  });

  it.each<[string, string[], Options]>([
    ["a near miss of a field that has a column", ["cle", "clef"], {}],
    ["a near miss of a field whose column is dropped", ["cle", "clef"], drop("cle")],
    ["id beside cle", ["cle", "id"], {}],
    ["a near miss that is left out", ["clef", "a"], keep("a")],
    ["a declared field near a built-in one", ["clef", "a"], types("clef=text")],
  ])("do not stop the run: %s", (_, headers, options) => {
    expect(() => fieldsOf(headers, options)).not.toThrow();
  });

  it("are not matched by their numbers where there is no header", () => {
    const fields = new Map([["_1", { type: { kind: "date" } as const }]]);
    expect(refusal(["1"], { fields }, true)).toMatchObject({ code: "undeclared-columns" });
  });

  it("are settled by the options that the message proposes", () => {
    const header = fc.oneof(
      fc.constantFrom(...parted`cle|clef|id|Order No|num_comande|a=b|1|date closed|É t|x,y|'|a\u200bb`),
      fc.string({
        unit: fc.constantFrom("a", "B", " ", "é", "-", "$", '"', "'", "\\", "1", "="),
        minLength: 1,
        maxLength: 4,
      }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(header, { selector: (text) => text.trim(), maxLength: 5 }), (names) => {
        // Without it, a file with nothing but keys would have nothing to send.
        const headers = [...names, "num_invoice"];
        fc.pre(headers.every((text) => text.trim() !== ""));
        const error = refusalOrNone(headers);
        fc.pre(
          error === undefined ||
            !/have the same name|go to the field|may be the key|which of them/.test(error.message),
        );
        const pasted = pastedOptions(error?.hint ?? "");
        const options = { ...map(...pasted.map), ...types(...pasted.type) };
        const { columns } = found(headers, rowOf(headers), options);
        expect(columns.map(({ field }) => field)).not.toContain(undefined);
      }),
    );
  });
});

function refusalOrNone(headers: readonly string[]): RecPushError | undefined {
  try {
    found(headers, rowOf(headers));
    return undefined;
  } catch {
    return refusal(headers);
  }
}

// The words of `add --map ... --type ...` as a POSIX shell reads them.
function pastedOptions(hint: string): { readonly map: string[]; readonly type: string[] } {
  const words: { readonly map: string[]; readonly type: string[] } = { map: [], type: [] };
  let rest = hint.split("\n")[0]!.replace(/^add /, "");
  for (;;) {
    const option = /^--(map|type) ((?:"[^"]*"|'[^']*'|\\'|[^\s;"'])+)(?: |;|$)/.exec(rest);
    if (option === null) return words;
    words[option[1] as "map" | "type"].push(
      option[2]!.replace(
        /"([^"]*)"|'([^']*)'|\\(')/g,
        (_, double, single, quote) => double ?? single ?? quote,
      ),
    );
    rest = rest.slice(option[0].length);
  }
}
