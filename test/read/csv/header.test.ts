import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHeaderTest } from "../../../src/fields/columns/other-columns.ts";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import type { RecPushError } from "../../../src/model/failure.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";
import { readTable, sourceOf } from "../chunks.ts";

const HEADER = "cle;num_commande;date_billed;actual_billable_amount";
const ROW = "A1;551035;05/07/2016;100,00";
const SECOND = "A2;551036;13/07/2016;20,00";
/** No name of it is declared. */
const OTHERS = "Ref;Commande;Date;Montant";

/** The header's line, the number of columns and the lines of the rows, or the code of the error with its line and hint. */
async function read(
  lines: readonly string[],
  options: ReadOptions = {},
  fields: Partial<FieldOptions> = {},
): Promise<unknown> {
  const isKnownHeader = createHeaderTest({ ...DEFAULT_FIELD_OPTIONS, ...fields });
  try {
    const source = sourceOf(`${lines.join("\n")}\n`);
    const { inspection, rows } = await readTable(source, { isKnownHeader, ...options });
    const { dialect, columns } = inspection.reading;
    return { header: dialect?.headerLine, columns: columns.length, rows: rows.map(([line]) => line) };
  } catch (error) {
    const { code, place, hint } = error as RecPushError;
    return { asked: `${code} ${place?.line}`, hint };
  }
}

/** The lines of a text, parted by bars; `*30` behind a line repeats it. */
function linesOf(text: string): string[] {
  return text.split(" | ").flatMap((line) => {
    const [, again, times = "1"] = /^(.*?)(?:\*(\d+))?$/.exec(line)!;
    return Array.from({ length: Number(times) }, (_, at) => again!.replace("#", String(at)));
  });
}

describe("a header", () => {
  it.each([
    ["one title", `Export des commandes | ${HEADER} | ${ROW}`, 2],
    ["padded titles", `Export des commandes;;; | Edité le;05/08/2016;; | ${HEADER} | ${ROW} | ${SECOND}`, 3],
    ["fifteen titles", `Ligne #*15 | ${HEADER} | ${ROW}`, 16],
    ["padded and blank lines", `Export;;; | ;;; |  | ${HEADER} | ${ROW} | ${SECOND}`, 4],
    ["quoted padded titles", `"Export";"";"";"" | ${HEADER.replaceAll(/[^;]+/g, '"$&"')} | ${ROW}`, 2],
    ["a title and a blank line above two columns", "SARL; | ; | Client;Montant | x;1,50 | y;2,50", 3],
    ["a title above digits", "Balance;;;; | Tiers;Total;0-30 j;31-60 j;> 60 j | x;3,50;1,50;;2,00", 2],
    ["a title above rows and a total", `Export;;; | ${HEADER} | ${ROW} | ${SECOND} | Total;;;120,00`, 2],
  ])("is found below %s", async (_, text, header) => {
    const lines = linesOf(text);
    const rows = lines.slice(header).map((__, at) => header + at + 1);
    expect(await read(lines)).toMatchObject({ header, rows });
  });

  it.each([
    ["keys below a name without a digit", "client;ville | F1;Paris | F2;Lyon"],
    ["amounts", "client;montant | Dupont;1,50 | Martin;2,50"],
    ["dates", "client;jour | Dupont;05/07/2016 | Martin;06/07/2016"],
    ["nine of ten cells with a digit", "a;b | x;N#*9 | y;z"],
    ["rows that repeat it", "client;montant | Dupont;1,50 | client;montant | Martin;2,50"],
  ])("of undeclared names is proven by %s", async (_, text) => {
    expect(await read(linesOf(text))).toMatchObject({ header: 1 });
  });

  it.each([
    ["remarks", `${HEADER} | ${ROW} | ${SECOND} |  | (2 rows) | one | two | three | four | five`],
    ["titles and remarks", `Export | Societe | ${HEADER} | ${ROW} |  | (1 row) | end of it | three | four`],
  ])("is judged by the table alone, whatever %s there are", async (_, text) => {
    expect(await read(linesOf(text))).toMatchObject({ columns: 4 });
  });

  it("of two declared names and no row is a table without rows", async () => {
    expect(await read([HEADER])).toEqual({ header: 1, columns: 4, rows: [] });
  });

  it("may hold a name twice beside two declared ones", async () => {
    const row = "A1;551035;551036";
    expect(await read(["cle;num_commande;num_commande", row])).toMatchObject({ header: 1, rows: [2] });
    expect(await read(["cle;num_commande;client;client", `${row};x`])).toMatchObject({ header: 1 });
  });

  it("may end in empty cells, which are no columns", async () => {
    const lines = [HEADER, ROW, SECOND].map((line) => `${line};;`);
    expect(await read(lines)).toEqual({ header: 1, columns: 4, rows: [2, 3] });
  });

  it("is one of words only where two are declared or an option names its line", async () => {
    const words = ["nom;ville", "Dupont;Paris", "Martin;Lyon"];
    expect(await read(words, { headerLine: 1 })).toMatchObject({ header: 1, rows: [2, 3] });
    const map = ["nom", "ville"].map((column) => ({ column, field: column }));
    expect(await read(words, {}, { map })).toMatchObject({ header: 1, rows: [2, 3] });
  });

  it("is seen beside a line of one cell, such as the number of a page", async () => {
    expect(await read([HEADER, ROW, "page 2", HEADER, SECOND])).toMatchObject({ rows: [5] });
  });

  it("stops the run where it has another order", async () => {
    const other = "num_commande;cle;date_billed;actual_billable_amount";
    expect(await read([HEADER, ROW, other, SECOND])).toMatchObject({ asked: "second-table 3" });
    expect(await read([HEADER, ROW, "page 2", other, SECOND])).toMatchObject({ asked: "second-table 4" });
    // Among texts words alone prove no second table.
    const texts = ["cle;nom;ville", "A1;Dupont;Paris", "cle;ville;nom", "A2;Lyon;Durand"];
    expect(await read(texts, { headerLine: 1 })).toMatchObject({ asked: "second-table 3" });
  });
});

const PRINTED = /--(header-line|no-header|delimiter none)(?: (\d+))?(?: --(skip-lines|header-line) (\d+))?/g;

/** `--header-line 2` and so on, as options. */
function optionsIn(hint: string): ReadOptions[] {
  return [...hint.matchAll(PRINTED)].map(([, option, line, more, lines]) => ({
    header: option === "no-header" ? false : undefined,
    delimiter: option === "delimiter none" ? "none" : undefined,
    headerLine: option === "header-line" ? Number(line) : more === "header-line" ? Number(lines) : undefined,
    skipLines: more === "skip-lines" ? Number(lines) : undefined,
  }));
}

describe("a line that may be the header", () => {
  const OTHER_TABLE = `code;libelle;prix;note | x;y;1;a | z;w;2;b | ${HEADER};note;ville | ${ROW};a;b`;
  const [ABOVE, NONE, NONE_2] = ["data-above-header 1", "no-header 1", "no-header 2"];
  const SECOND_NAMES = "client;montant;jour | Kunde;Betrag;Tag | x;1,50;05/07/2016*20";

  it.each([
    ["in the middle", `${ROW} | ${SECOND} | ${HEADER} | ${ROW} | ${SECOND}`, ABOVE, "move the header"],
    ["below a sparse row", `A0;;;1,00 | ${HEADER} | ${ROW} | A2;;;2,00`, ABOVE, "--header-line 2"],
    ["below half of its cells", "A;1;2 | cle;num_commande;x | A1;3;4", ABOVE, "move the header"],
    ["below another table", OTHER_TABLE, ABOVE, "move the header"],
    ["below sixteen lines", `Ligne #*16 | ${HEADER} | ${ROW}*30`, ABOVE, "--header-line 17"],
    ["of some names", "cle;client;ville;; | x;y;a;rue;1 | z;w;b;quai;2", NONE, "--header-line 1"],
    ["above words only", "nom;ville;pays | x;Paris;France | y;Lyon;France", NONE, "--header-line 1"],
    ["of which one name is declared", "nom;cle | Dupont;x | Martin;y", NONE, "--header-line 1"],
    ["built as the cells below", "F1;Dupont | F2;Martin | F3;Durand", NONE, "--no-header"],
    ["with a value of its column", "oui;x;x1 | oui;y;12 | non;z;13", NONE, "--no-header"],
    ["with a number", "12;Dupont;x | 13;Martin;y", NONE, "--no-header"],
    ["with a number, below a title", "Export;; | 12;x;x | 13;y;y", NONE_2, "--no-header --skip-lines 1"],
    ["with a name twice", "client;client | A1;551035", NONE, "--header-line 1"],
    ["without a row", "nom;ville", NONE, "--header-line 1"],
    ["that is a message", "erreur: connexion perdue, réessayez", NONE, "--header-line 1"],
    ["above a second line of names", SECOND_NAMES, NONE_2, "--header-line 2"],
    ["of amounts that hold the delimiter", "Value | 68,527.00 | 1,250.00 | 3,000.50", NONE_2, ""],
  ])("is asked about %s, and each printed option leads on", async (_, text, asked, first) => {
    const lines = linesOf(text);
    const answer = (await read(lines)) as { asked: string; hint: string };
    expect(answer).toMatchObject({ asked, hint: expect.stringMatching(new RegExp(`^${first}`)) });
    expect(optionsIn(answer.hint).length).toBeGreaterThan(0);
    for (const option of optionsIn(answer.hint))
      expect(await read(lines, option)).toMatchObject({ columns: expect.any(Number) });
  });
});

describe("a full line of words below rows with numbers and dates", () => {
  const second = ["code;nom;ville;pays", "K1;Dupont;Paris;FR"];

  it("is the header of a second table, and stops the run", async () => {
    const asked = { asked: "second-table 4" };
    expect(await read([HEADER, ROW, SECOND, ...second])).toMatchObject(asked);
    expect(await read([OTHERS, ROW, SECOND, ...second], { headerLine: 1 })).toMatchObject(asked);
  });

  it("is a row where one column alone holds numbers", async () => {
    expect(await read(["cle;num_commande;note", "A1;1;x", "new;none;words"])).toMatchObject({ rows: [2, 3] });
  });
});

describe("rows with more empty cells than the header", () => {
  it.each<[string, readonly string[], number]>([
    ["one more", [HEADER, `${ROW};`, `${SECOND};`], 4],
    ["two more", [HEADER, `${ROW};;`, `${SECOND};;`], 4],
    ["one more, of undeclared names", ["client;montant", "x;1,50;", "y;2,50;"], 2],
    ["one more, and remarks at the end", [HEADER, `${ROW};`, `${SECOND};`, "", "(2 rows)"], 4],
  ])("are read in place where all have %s", async (_, lines, columns) => {
    expect(await read(lines)).toEqual({ header: 1, columns, rows: [2, 3] });
  });

  it("are rejected where only some have them", async () => {
    expect(await read([HEADER, `${ROW};`, SECOND])).toMatchObject({ columns: 4, rows: [3] });
    expect(await read([HEADER, `${ROW};x`, `${SECOND};`])).toMatchObject({ columns: 4, rows: [] });
  });

  it("hold filled cells to the surplus that the first megabyte settled", async () => {
    const text = `a;b\n${"1;2;\n".padStart(200, "0").repeat(6_000)}3;4;x\n5;6\n`;
    const { inspection, rows, problems } = await readTable(sourceOf(text, 65_536));
    expect(inspection.places.surplus).toBe(1);
    expect(rows).toHaveLength(6_000);
    expect(problems).toEqual([
      expect.objectContaining({ line: 6_002, column: 3, value: "x" }),
      expect.objectContaining({ line: 6_003, reason: expect.stringContaining("2 cells") }),
    ]);
  });

  it("stop the run where a cell of each begins with a blank: it may be text with the delimiter in it", async () => {
    const lines = ["cle,client,montant,note", "A1,Dupont, Jean,12.50,", "A2,Martin, Anne,13.50,"];
    expect(await read(lines)).toMatchObject({ asked: "nameless-column 1" });
    expect(await read([`${lines[0]!},`, ...lines.slice(1)])).toMatchObject({ columns: 4, rows: [2, 3] });
  });
});

const LINES = {
  row: "A1;1;x",
  sparse: "A2;;",
  blank: ";;",
  gap: "",
  unreadable: 'A3;2;"x"y',
  short: "(2 rows)",
};
type Kind = keyof typeof LINES;

const fillOf = (kind: Kind): number => (kind === "row" ? 3 : kind === "sparse" ? 1 : 0);

describe("dropping the footer", () => {
  it("leaves out the last rows that hold something, and none as full as one above, however the chunks are cut", async () => {
    const kinds = fc.array(fc.constantFrom(...(Object.keys(LINES) as Kind[])), { maxLength: 12 });
    const upTo = (max: number) => fc.integer({ min: 1, max });
    await fc.assert(
      fc.asyncProperty(kinds, upTo(4), upTo(9), async (drawn, count, size) => {
        const lines = ["row", "sparse", ...drawn] as const;
        const text = `cle;num_commande;note\n${lines.map((kind) => LINES[kind]).join("\n")}\n`;
        const options: ReadOptions = { delimiter: ";", headerLine: 1, skipFooter: count };
        const held = lines.flatMap((kind, at) => (kind === "blank" || kind === "gap" ? [] : [at]));
        fc.pre(held.length >= count);
        const first = held.at(-count)!;
        const least = Math.min(...lines.slice(0, first).map((kind) => fillOf(kind) || Infinity));
        const isFull = lines.slice(first).some((kind) => fillOf(kind) >= least);
        const reading = readTable(sourceOf(text, size), options).catch((error: RecPushError) => error.code);
        const table = await reading;
        expect(table === "full-footer").toBe(isFull);
        if (typeof table === "string") return;
        const { rows, problems } = table;
        const read = [...rows.map(([line]) => line), ...problems.map(({ line }) => line)];
        const expected = lines.flatMap((kind, at) => (at < first && kind !== "gap" ? [at + 2] : []));
        expect([...new Set(read)].sort((left, right) => Number(left) - Number(right))).toEqual(expected);
      }),
    );
  });

  it("stops where it would lose an order", async () => {
    const text = "cle;num_commande;actual_billable_amount\nA1;1;100\nA2;2;200\n;;300\n";
    const { rows } = await readTable(sourceOf(text), { skipFooter: 1 });
    expect(rows.map(([line]) => line)).toEqual([2, 3]);
    await expect(readTable(sourceOf(text), { skipFooter: 2 })).rejects.toMatchObject({
      code: "full-footer",
      place: { line: 3 },
      message:
        "orders.csv:3: --skip-footer 2 would leave out this row: it has 3 filled cells, as many as a row above",
    });
  });
});
