import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHeaderTest } from "../../../src/fields/columns/other-columns.ts";
import type { RecPushError } from "../../../src/model/failure.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";
import { readTable, sourceOf } from "../chunks.ts";

async function read(text: string, options: ReadOptions = {}): Promise<unknown> {
  const isKnownHeader = createHeaderTest(DEFAULT_FIELD_OPTIONS);
  try {
    const { inspection, rows } = await readTable(sourceOf(text), { isKnownHeader, ...options });
    const { dialect, columns } = inspection.reading;
    return {
      delimiter: dialect?.delimiter,
      escape: dialect?.escape,
      columns: columns.length,
      rows: rows.length,
    };
  } catch (error) {
    const { code, message, hint } = error as RecPushError;
    return { asked: code, message, hint };
  }
}

const many = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join("");

describe("the delimiter", () => {
  it.each<[string, string, string, number]>([
    [";, where amounts have decimal commas", "client;montant\nx;1,50\ny;2,50\n", ";", 2],
    [";, where titles hold commas", "Dupont, rue 7, Lyon\nclient;montant\nx;1,50\ny;2,50\nz;3,10\n", ";", 2],
    [";, where torn rows hold commas", "cle;montant\nA1;1,50\nA2;2\n,50\nA3;3,50\n", ";", 2],
    [",, where lists in a cell hold ;", "id,tags,n\n1,a; b,2\n2,c; d,3\n", ",", 3],
    [
      ",, where both fit as many lines, and ; from a later one on",
      "client,n\nA,1;2\nB,3;4\nend;of 5\n",
      ",",
      2,
    ],
    [",, where the quotes are its own", '"a;b","c;d"\n"A;1","B;2"\n"C;3","D;4"\n', ",", 2],
    ["tab, where texts hold all others", "cle\tn\nA1\ta,b;c|d\nA2\te,f;g|h\n", "\t", 2],
    [
      ";, where each row holds two stray quotes",
      'cle;num_commande;n\nA 2";B 6";1,5\nC 7";D 8";2,5\n',
      ";",
      3,
    ],
    [",, where ; leaves lines that cannot be read", 'id;x,n\nb; c,2\nd; e,3\n"a",1\n"f",4\n"g",5\n', ",", 2],
    ["outside quotes", 'cle;texte\nA1;"a,b,c"\nA2;"d,e,f"\nA3;"g,h,i"\n', ";", 2],
    ["with which a line holds two declared names", "a,b\nc,d\ne,f\ncle;num_commande\nA1;1\n", ";", 2],
  ])("is the one %s", async (_, text, delimiter, columns) => {
    const options = text.startsWith("a,b") ? { skipLines: 3 } : {};
    expect(await read(text, options)).toMatchObject({ delimiter, columns });
  });

  it("is judged by more than the first 64 KiB only where two compete", async () => {
    // The first lines read both ways, and equally well.
    const head = many(8_000, (at) => `A${at};1,5`);
    const text = `client;montant,x\n${head}${many(20_000, (at) => `B${at};1`)}`;
    expect(await read(text)).toMatchObject({ delimiter: ";", columns: 2 });
  });

  it("is named by sep=, if a character follows", async () => {
    expect(await read("sep=\n\ncle;n\nA1;1\nA2;2\n")).toMatchObject({ delimiter: ";", columns: 2 });
    expect(await read("sep=~\ncle~n\nA1~1\n")).toMatchObject({ delimiter: "~", columns: 2 });
  });

  it("is asked for where no one makes most lines equally wide, and each printed option leads on", async () => {
    const text = "client,a\nb\nc,d,e\nf\ng\n";
    expect(await read(text)).toMatchObject({
      asked: "unclear-delimiter",
      hint: "--delimiter comma with --header-line N, if line N names the columns; --delimiter none if the file has one column",
    });
    expect(await read(text, { delimiter: ",", headerLine: 1 })).toMatchObject({ columns: 2 });
    expect(await read(text, { delimiter: "none", headerLine: 1 })).toMatchObject({ columns: 1, rows: 4 });
  });

  it("none makes one column, whatever the lines hold", async () => {
    expect(await read("cle\n1,5\n2,5\n", { delimiter: "none" })).toMatchObject({ columns: 1, rows: 2 });
    const all = 'texte\n1,5\n"a;b"\n"c|d"\n"e\tf"\n';
    expect(await read(all, { delimiter: "none", headerLine: 1 })).toMatchObject({ columns: 1, rows: 4 });
  });

  it.each([
    ["cle;num_commande\nA1;1\nA2;2\n", ",", "semicolon"],
    ["cle,num_commande,note\nA1,1,a;b\nA2,2,c\nA3,3,d\n", ";", "comma"],
    ["reference,client\nA,Dupont\nB,Durand\n", "\t", "comma"],
    ["nom;montant\nDupont;12,50\nDurand;13,50\n", ",", "semicolon"],
    ["sep=;\nreference,client\nA,Dupont\nB,Durand\n", undefined, "comma"],
  ])("of %j is not %j, whoever says so: %s makes a table", async (text, delimiter, better) => {
    const named = { comma: ",", semicolon: ";" }[better];
    expect(await read(text, delimiter === undefined ? {} : { delimiter })).toMatchObject({
      asked: "unclear-delimiter",
      message: expect.stringMatching(`one column .*"${named}" makes [23] columns`),
      hint: expect.stringMatching(`--delimiter ${better},`),
    });
    const known = text.startsWith("cle") ? {} : { headerLine: 1 };
    expect(await read(text, { delimiter: named, ...known })).toMatchObject({ delimiter: named });
    expect(await read(text, { delimiter: "none", headerLine: 1 })).toMatchObject({ columns: 1 });
  });

  it.each(["nom\nDupont, Jean\nDurand, Paul\n", "montant\n1,50\n2,75\n", '"a,b"\n"c,d"\n', "a\nb,c\nd\ne\n"])(
    "that is said to be another may make a single column of %j",
    async (text) => {
      expect(await read(text, { delimiter: ";", headerLine: 1 })).toMatchObject({ columns: 1 });
    },
  );

  it("is asked for where every cell but the first of its row begins with a blank", async () => {
    expect(await read("cle, num_commande\nA1, 1\nA2, 2\n")).toMatchObject({
      asked: "unclear-delimiter",
      hint: "--delimiter ', ' or --delimiter comma",
    });
  });

  it.each(["~", "^", ":"])("is %s only by an option", async (sign) => {
    const text = `cle${sign}num_commande\nA1${sign}1\nA2${sign}2\n`;
    expect(await read(text)).toMatchObject({ columns: 1 });
    expect(await read(text, { delimiter: sign })).toMatchObject({ columns: 2 });
  });
});

it.each<[string, string | Buffer, ReadOptions, string[]]>([
  ["another quote", "cle;n\n'A1';'a; b'\nA2;l'ecran\n", { quote: "'" }, ["2 A1|a; b", "3 A2|l'ecran"]],
  ["comments", "#x\ncle;n\n# y\nA1;a #1\n#;\nA3;c\n", { comment: "#" }, ["4 A1|a #1", "6 A3|c"]],
  ["no header", "A1;55\nA2;56\n", { header: false }, ["1 A1|55", "2 A2|56"]],
  ["a line skipped, and no header", "x\nA1;1,50\n", { skipLines: 1, header: false }, ["2 A1|1,50"]],
  ["a code page", Buffer.from("cle;n\nA1;\x82\n", "latin1"), { encoding: "cp850" }, ["2 A1|é"]],
])("rows with %s are read as the options say", async (_, content, options, expected) => {
  const { rows, problems } = await readTable(sourceOf(content), options);
  expect([rows.map(([line, ...cells]) => `${line as number} ${cells.join("|")}`), problems]).toEqual([
    expected,
    [],
  ]);
});

describe("a backslash", () => {
  it.each([
    ["escapes quotes inside cells", String.raw`"cle","t"|"A1","a \"b\" c"`, "\\"],
    ["is text before the end of a cell", String.raw`"cle","t"|"A1","C:\"`, '"'],
    ["is text before a doubled quote", String.raw`"cle","t"|"A1","a\""b"`, '"'],
    ["is text where quotes are doubled", String.raw`"cle","t"|"A1","a ""b"" c"|"A2","\""x"""`, '"'],
    ["is no escape of an empty cell", String.raw`"cle","t","n"|"A1","a \"b\" c",""`, "\\"],
  ])("%s", async (_, lines, escape) => {
    expect(await read(`${lines.replaceAll("|", "\n")}\n`)).toMatchObject({ escape });
  });
});

type Line = (at: number) => string;

/** The rows of a table with this many lines, without line numbers, or the error. */
async function readAs(header: string, line: Line, count: number): Promise<unknown> {
  const rows = Array.from({ length: count }, (_, at) => line(at));
  const text = [header, ...rows].join("\n");
  return readTable(sourceOf(text)).then(
    (table) => table.rows.map(([, ...cells]) => cells),
    ({ code, hint }: { code: string; hint: string }) => ({ code, hint }),
  );
}

const COUNTS = [1, 3, 20];
const HEADER = "cle;note;num_commande";
const QUOTED_HEADER = "'cle';'note';'num_commande'";

describe.each(COUNTS)("in a table of %i rows", (count) => {
  it.each<[string, string, Line]>([
    ["all cells", QUOTED_HEADER, (at) => `'A${at}';'x ${at}';'${at}'`],
    ["all cells but the header's", HEADER, (at) => `'A${at}';'x';'${at}'`],
    ["all text, NULL beside it", HEADER, (at) => `'A${at}';${at % 2 === 0 ? "'x'" : "NULL"};${at}`],
    ["all text of a table with a bare key", HEADER, (at) => `${at};'x';${at}`],
    ["one column where other text is bare", HEADER, (at) => `A${at};'x ${at}';${at}`],
    ["keys, beside a delimiter", HEADER, (at) => `'A${at}';${at % 2 === 0 ? "'x;y'" : "'x'"};${at}`],
  ])("apostrophes around %s are asked about, never taken for quotes", async (_, header, line) => {
    expect(await readAs(header, line, count)).toEqual({
      code: "open-quote",
      hint: `--quote "'" reads them as quotes, --quote '"' as text`,
    });
  });

  it.each<[string, Line]>([
    ["before digits", (at) => `A${at};x;'0055${at}`],
    ["inside text", (at) => `A${at};l'avoir d'Anne;${at}`],
  ])("apostrophes %s are text", async (_, line) => {
    const rows = Array.from({ length: count }, (__, at) => line(at).split(";"));
    expect(await readAs(HEADER, line, count)).toEqual(rows);
  });
});

it("apostrophes mean the same in a row as in as many rows like it as there are", async () => {
  const cell = fc.constantFrom("'x'", "x", "'12'", "12", "", "'s", "NULL", "l'x");
  await fc.assert(
    fc.asyncProperty(cell, cell, fc.integer({ min: 2, max: 40 }), async (one, other, count) => {
      const line: Line = () => `A;${one};${other}`;
      const [alone, many] = [await readAs(HEADER, line, 1), await readAs(HEADER, line, count)];
      expect(many).toEqual(Array.isArray(alone) ? Array<unknown>(count).fill(alone[0]) : alone);
    }),
  );
});

it("apostrophes around a cell with a delimiter in it make a row that is too wide", async () => {
  const { rows, problems } = await readTable(sourceOf(`${HEADER}\nA1;x;1\nA2;'x;y';2\n`));
  expect([rows.map(([, key]) => key), problems.map(({ line }) => line)]).toEqual([["A1"], [3]]);
});
