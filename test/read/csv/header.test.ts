import { describe, expect, it } from "vitest";
import { DEFAULT_FIELD_OPTIONS, type FieldOptions } from "../../../src/fields/field-options.ts";
import type { RecPushError } from "../../../src/model/failure.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { columnTests } from "../../../src/survey/survey-input.ts";
import { readTable, sourceOf } from "../chunks.ts";

const HEADER = "cle;num_commande;date_billed;actual_billable_amount";
const ROW = "A1;551035;05/07/2016;100,00";
const SECOND = "A2;551036;13/07/2016;20,00";

/** The header's line, the lines of the rows and the surplus, or the code of the error with its line. */
async function read(
  lines: readonly string[],
  options: ReadOptions = {},
  fields: Partial<FieldOptions> = {},
): Promise<unknown> {
  const tests = columnTests({ ...DEFAULT_FIELD_OPTIONS, ...fields });
  try {
    const { inspection, rows } = await readTable(sourceOf(`${lines.join("\n")}\n`), { ...tests, ...options });
    const { dialect, columns } = inspection.reading;
    return { header: dialect?.headerLine, columns: columns.length, rows: rows.map(([line]) => line) };
  } catch (error) {
    const { code, place } = error as RecPushError;
    return `${code} ${place?.line}`;
  }
}

describe("a header", () => {
  it.each<[string, readonly string[], number]>([
    ["one title", ["Export des commandes", HEADER, ROW], 2],
    ["padded titles", ["Export des commandes;;;", "Edité le;05/08/2016;;", HEADER, ROW, SECOND], 3],
    [
      "more titles than rows",
      ["Export", "Client;Dupont", "Edité le;05/08/2016", "Devise;EUR", HEADER, ROW, SECOND],
      5,
    ],
    ["many titles", [...Array.from({ length: 9 }, (_, at) => `Ligne ${at}`), HEADER, ROW], 10],
    ["padded and blank lines", ["Export;;;", ";;;", "", HEADER, ROW, SECOND], 4],
    [
      "quoted padded titles",
      ['"Export des commandes";"";"";""', HEADER.replaceAll(/[^;]+/g, '"$&"'), ROW],
      2,
    ],
    [
      "a padded title above codes, one without more",
      ["Liste des ventes;", "cle;actual_billable_amount", "A1;1,50", "A2;", "A3;2,50"],
      2,
    ],
    ["a title and a blank line above two columns", ["SARL;", ";", "Client;Montant", "x;1,50", "y;2,50"], 3],
    [
      "a title above spans of days",
      ["Balance;;;;", "Tiers;Total;0-30 j;31-60 j;> 60 j", "x;3,50;1,50;;2,00"],
      2,
    ],
    ["a title above undeclared names", ["Export;;;", "Ref;Commande;Date;Montant", ROW, SECOND], 2],
    [
      "a label and a date above three columns",
      ["Edité le;05/08/2016;", "cle;client;actual_billable_amount", "A1;x;1,50", "A2;y;2,50"],
      2,
    ],
  ])("is found below %s", async (_, lines, header) => {
    const rows = lines.slice(header).map((__, at) => header + at + 1);
    expect(await read(lines)).toMatchObject({ header, rows });
  });

  it.each<[string, readonly string[]]>([
    ["remarks", [HEADER, ROW, SECOND, "", "(2 rows)", "one", "two", "three", "four", "five"]],
    ["titles and remarks", ["Export", "Societe", HEADER, ROW, "", "(1 row)", "end of it", "three", "four"]],
  ])("is judged by the table alone, whatever %s there are", async (_, lines) => {
    expect(await read(lines)).toMatchObject({ columns: 4 });
  });

  it.each<[string, readonly string[], string]>([
    ["in the middle of rows", [ROW, SECOND, HEADER, ROW, SECOND], "data-above-header 1"],
    ["below all rows", [ROW, SECOND, ROW, HEADER], "data-above-header 1"],
    ["with hours", ["Lundi;8-12;12-18;x", "Mardi;8-12;12-18;y", "Jeudi;8-12;12-18;z"], "no-header 1"],
    [
      "below a row of figures in few cells",
      ["551034;;;;;1,00", `${HEADER};x;y`, `${ROW};1;2`, `${SECOND};1;2`],
      "data-above-header 1",
    ],
    ["below a sparse row", ["A0;;;1,00", HEADER, ROW, "A2;;;2,00"], "data-above-header 1"],
    [
      "below another table",
      ["code;libelle;prix", "x;y;1", "z;w;2", `${HEADER};note;ville;etat`, `${ROW};a;b;c`],
      "data-above-header 1",
    ],
    [
      "that names half of the columns",
      ["cle;client;;", "Dupont;Paris;rue;x", "Martin;Lyon;quai;y"],
      "no-header 1",
    ],
    ["among words only", ["nom;ville;pays", "Dupont;Paris;France", "Martin;Lyon;France"], "no-header 1"],
    ["in rows of words that hold Clé", ["Outil;Marque", "Pince;Facom", "Clé;Stanley"], "no-header 1"],
    ["among codes", ["A1;Dupont", "A2;Martin"], "no-header 1"],
  ])("is not guessed %s", async (_, lines, expected) => {
    expect(await read(lines)).toBe(expected);
  });

  it("may hold a name twice beside two declared ones", async () => {
    const row = "A1;551035;551036";
    expect(await read(["cle;num_commande;num_commande", row])).toMatchObject({ header: 1, rows: [2] });
    expect(await read(["cle;num_commande;client;client", `${row};x`])).toMatchObject({ header: 1 });
    expect(await read(["client;client", "A1;551035"])).toBe("no-header 1");
  });

  it("is not a row that contains Clé", async () => {
    const lines = ["ref;objet;prix", "12;Pince;3,50", "Outils;Clé;plate", "14;Scie;4,50"];
    expect(await read(lines)).toMatchObject({ header: 1, rows: [2, 3, 4] });
  });

  it("is one of words only where a column is declared or an option names its line", async () => {
    expect(await read(["nom;cle", "Dupont;x", "Martin;y"])).toMatchObject({ header: 1, rows: [2, 3] });
    const words = ["nom;ville", "Dupont;Paris", "Martin;Lyon"];
    expect(await read(words, { headerLine: 1 })).toMatchObject({ header: 1 });
    expect(await read(words, {}, { map: [{ column: "nom", field: "name" }] })).toMatchObject({ header: 1 });
  });

  it("is passed over where it is repeated, in capitals and after a byte order mark too", async () => {
    const repeats = [HEADER, HEADER.toUpperCase(), `\ufeff${HEADER}`, ` ${HEADER}`];
    for (const again of repeats) {
      expect(await read([HEADER, ROW, again, SECOND])).toEqual({ header: 1, columns: 4, rows: [2, 4] });
    }
  });

  it("is seen beside a line of one cell, such as the number of a page", async () => {
    expect(await read([HEADER, ROW, "page 2", HEADER, SECOND])).toMatchObject({ rows: [5] });
    const other = "num_commande;cle;date_billed;actual_billable_amount";
    expect(await read([HEADER, ROW, "page 2", other, SECOND])).toBe("second-table 4");
  });

  it("stops the run where it has another order", async () => {
    const other = "num_commande;cle;date_billed;actual_billable_amount";
    expect(await read([HEADER, ROW, other, SECOND])).toBe("second-table 3");
  });

  it.each(["---;------;----;----", "----+-----+----", "===;===;===;===", "--------"])(
    "is ruled off by %s, which is no row",
    async (rule) => {
      expect(await read([HEADER, rule, ROW, SECOND])).toMatchObject({ header: 1, rows: [3, 4] });
    },
  );
});

describe("lines that form no table", () => {
  it.each<[string, readonly string[]]>([
    ["where a name is twice in the header", ["cle,prix,cle", "A1,12,B1", "A2,13,B2"]],
    ["where a name is twice and all cells are quoted", ['"Export"', '"cle","prix","cle"', '"A1","12","B1"']],
    [
      "where rows of figures have more cells than the header",
      [
        "Seite : Köln",
        "a,b,c",
        "1,2016,20160421,1950,7,,",
        "2,2016,20160422,1950,8,,",
        "3,2016,20160423,1950,8,,",
      ],
    ],
    ["where rows hold a date and an amount", ["Order export", "a,b", "2017-01-18,64.05", "2017-01-19,65.05"]],
  ])("are not read as one column %s", async (_, lines) => {
    expect(await read(lines)).toMatch(/^(?:unclear-delimiter|no-header)/);
  });

  it.each<[string, readonly string[]]>([
    [
      "two columns with commas",
      ["Order export", "date_billed,actual_billable_amount", "2017-01-18,649560.05"],
    ],
    [
      "decimal commas",
      ["Lda, Rua 2, Braga", "cle;actual_billable_amount", "23555;306 834,71", "23556;208 863,29"],
    ],
  ])("are none where a line of declared names stands above %s", async (_, lines) => {
    expect(await read(lines)).toMatchObject({ header: 2, columns: 2 });
  });

  it("are not columns made by a title's commas if another delimiter is in nearly every cell", async () => {
    const row = '="551036";Durand;767591,17;17;5 045,33;';
    const lines = ["Dupont, rue 7, Lyon", "num_commande;client;montant;x", row, row.replace("36", "37")];
    expect(await read(lines)).toMatch(/^(?:unclear-delimiter|no-header)/);
  });

  it("are one column where a comma groups figures or begins decimals", async () => {
    expect(await read(["cle", "1,234,567", "12,5"])).toMatchObject({ columns: 1, rows: [2, 3] });
  });
});

describe("titles above rows without a header", () => {
  it.each<[string, readonly string[], number]>([
    ["a title", ["Export des commandes", ROW, SECOND], 1],
    ["padded titles", ["Export des commandes;;;", "Edité le;05/08/2016;;", "", ROW, SECOND], 3],
    [
      "a label beside a date in a column of dates",
      ["Edité le;05/08/2016;", "A1;05/07/2016;1,5", "A2;13/07/2016;2,5"],
      1,
    ],
  ])("stop the run: %s", async (_, lines, titles) => {
    expect(await read(lines, { header: false })).toBe("title-above-rows 1");
    const rows = lines.slice(titles).map((__, at) => titles + at + 1);
    expect(await read(lines, { header: false, skipLines: titles })).toMatchObject({ rows });
  });

  it("are rows where --skip-lines 0 says so", async () => {
    expect(await read(["F0;;;", ROW, SECOND], { header: false, skipLines: 0 })).toMatchObject({
      rows: [1, 2, 3],
    });
  });

  it.each<[string, readonly string[]]>([
    ["a first row that fills most cells", ["A0;551034;;1,00", ROW, SECOND]],
    ["a first row as sparse as another", ["A0;;;1,00", ROW, "A2;;;2,00"]],
  ])("are not seen in %s", async (_, lines) => {
    expect(await read(lines, { header: false })).toMatchObject({ rows: [1, 2, 3] });
  });

  it("is not looked for above rows where every line could be a title", async () => {
    const tags = [
      "<STATUS>",
      "<CODE>0</CODE>",
      "<LEVEL>INFO</LEVEL>",
      "</STATUS>",
      "<AT>20161031112908</AT>",
    ];
    const inside = tags.map((tag, at) => `${"\t".repeat([3, 4, 4, 3, 3][at]!)}${tag}`);
    const lines = [
      "<BANK>",
      "\t<SIGNON>",
      "\t\t<SESSION>",
      ...inside,
      "\t\t\t<LANGUAGE>ENG</LANGUAGE>",
      "\t\t</SESSION>",
    ];
    expect(await read(lines, { header: false })).not.toContain("undefined");
  });

  it("are named where the header is missed", async () => {
    const source = sourceOf(`${["Export;;;", "", ROW, SECOND].join("\n")}\n`);
    await expect(readTable(source, columnTests(DEFAULT_FIELD_OPTIONS))).rejects.toMatchObject({
      hint: "--no-header --skip-lines 2 if the file has none, or --header-line 3 if this line is the header",
    });
  });

  it("are no reason to name a title alone as the header where a word stands alone in a row of two columns", async () => {
    const page = ["SARL MARTIN;", "Client;Montant", "x;10,50", "Page 1;"];
    const source = sourceOf(`${[...page, ...page.slice(0, 2), "y;5,00"].join("\n")}\n`);
    await expect(readTable(source, columnTests(DEFAULT_FIELD_OPTIONS))).rejects.toMatchObject({
      hint: "--header-line 2 if that line is the header, or --no-header if the file has none, or --header-line 1 if this line is the header",
    });
  });
});

describe("rows with more empty cells than the header", () => {
  it("stop the run where the header is two names shorter, whatever reads in place", async () => {
    const wider = [HEADER, `${ROW};;`, `${SECOND};;`];
    expect(await read(wider)).toBe("lost-name 1");
    expect(await read(wider, {}, { drop: ["5", "6"] })).toMatchObject({ columns: 6, rows: [2, 3] });
  });
});

describe("a line above the header", () => {
  it("with figures of the shape of those below is a row that would be lost", async () => {
    const header = "Clé,num_commande,Cliente,actual_billable_amount,num_invoice,Ciudad";
    const row = 'F36290,551036,Señalización Martín,"14373,1",,';
    expect(await read(["F36289,551035,Núñez y Cía,,,", header, row])).toBe("data-above-header 1");
    expect(await read(["F36289,Núñez y Cía,,,,", header, row])).toMatchObject({ header: 2 });
  });

  const header = "cle;num_commande;num_invoice;date_billed;date_closed";
  it.each<[string, readonly string[]]>([
    ["the first row", ["F99;9999;;;", header, "F1012;10;;;", "F1013;11;2;2016-07-13;"]],
    ["all rows", ["F99;9999;;;", header, "F1012;10;;;", "F1013;11;;;"]],
    ["the last row, with words for keys", ["FX;9999;;;", header, "FB;11;2;2016-07-13;", "FA;10;;;"]],
  ])("that fills as many cells as %s is a row that would be lost", async (_, lines) => {
    expect(await read(lines)).toBe("data-above-header 1");
    const undeclared = lines.map((line) => (line === header ? "ref;commande;facture;jour;fin" : line));
    expect(await read(undeclared)).toMatch(/^(?:data-above|no)-header 1$/);
  });

  it.each<[string, readonly string[]]>([
    ["above a sparse row", ["F1012;10;;;", "F1013;11;2;2016-07-13;"]],
    ["above a balance brought forward", ["Report;;100;;", "F1012;10;5;2016-07-12;", "F1013;11;2;;"]],
    ["above rows that end with a total", ["F1012;10;5;2016-07-12;", "F1013;11;2;;", "Total;21;;;"]],
    ["above names that end with a total", ["Dupont;10;5;2016-07-12;", "Martin;11;2;;", "Total;21;;;"]],
  ])("that is a title stays one %s", async (_, rows) => {
    const titles = ["Export du 05/08/2016;;;;", "Société Dupont"];
    expect(await read([...titles, header, ...rows])).toMatchObject({ header: 3 });
    expect(await read(["Période;01/07/2016;31/07/2016;;", header, ...rows])).toMatchObject({ header: 2 });
    if (rows.length === 2) return;
    const labels = ["Société;Dupont;;;", "Edité le;05/08/2016;;;", "Période;01/07/2016;31/07/2016"];
    expect(await read([...labels, header, ...rows])).toMatchObject({ header: 4 });
  });
});

describe("rows with one empty cell more than the header", () => {
  const wider = [HEADER, `${ROW};`, `${SECOND};`];

  it("are read in place where two declared columns prove it", async () => {
    expect(await read(wider)).toEqual({ header: 1, columns: 4, rows: [2, 3] });
  });

  it.each<[string, readonly string[], number]>([
    [
      "the header lost a separator",
      [
        "clenum_commande;date_billed;actual_billable_amount;note",
        "A1;551035;05/07/2016;100,00;",
        "A2;551036;13/07/2016;20,00;",
      ],
      5,
    ],
    ["nothing proves it", ["cle;nom;ville", "A1;Dupont;Paris;", "A2;Martin;Lyon;"], 4],
    [
      "a declared column behind those that prove it may have moved",
      [
        "num_commande;date_billed;actual_billable_amount;cle",
        "551035;05/07/2016;100,00;A1;",
        "551036;13/07/2016;20,00;A2;",
      ],
      5,
    ],
    ["the columns read both ways", ["cle;num_commande;num_invoice;x", "A1;1;2;3;", "A2;4;5;6;"], 5],
  ])("stop the run where %s, and --drop says that they are", async (_, lines, position) => {
    expect(await read(lines)).toBe("lost-name 1");
    expect(await read(lines, {}, { drop: [String(position)] })).toMatchObject({
      columns: position,
      rows: [2, 3],
    });
  });
});
