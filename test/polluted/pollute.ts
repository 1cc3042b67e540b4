import iconv from "iconv-lite";
import { CLEAN_COLUMNS, CLEAN_ROWS } from "./clean-table.ts";

/** The clean table spoiled in one way. */
export interface PollutedFile {
  readonly name: string;
  readonly content: string | Buffer;
  /** The number of rows that are still intact. */
  readonly cleanRows: number;
  /** The right record of the spoiled row, made of its cells as the file holds them. */
  readonly changed?: string;
}

/** The style in which a table is written. */
interface Style {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly quote: string;
  readonly escape: string;
  readonly quoteAll: boolean;
}

const PLAIN: Style = { delimiter: ";", lineEnd: "\n", quote: '"', escape: '"', quoteAll: false };

function writeCell(cell: string, { delimiter, quote, escape, quoteAll }: Style): string {
  const needsQuotes = cell.includes(delimiter) || cell.includes(quote) || /[\r\n]/.test(cell);
  if (quote === "" || (!needsQuotes && !quoteAll)) return cell;
  const escaped = escape === "\\" ? cell.replaceAll("\\", "\\\\") : cell;
  return quote + escaped.replaceAll(quote, escape + quote) + quote;
}

/** The header and the rows, each without its line end. */
function writeRows(style: Style = PLAIN, rows = CLEAN_ROWS): string[][] {
  return [CLEAN_COLUMNS, ...rows.map(({ cells }) => cells)].map((cells) =>
    cells.map((cell) => writeCell(cell, style)),
  );
}

function join(rows: readonly (readonly string[])[], style: Style = PLAIN): string {
  return rows.map((cells) => cells.join(style.delimiter) + style.lineEnd).join("");
}

/** Every way of spoiling the table, as the Pollock study lists them, one file each; single rows at every `step`th. */
export function* pollute(step: number): Generator<PollutedFile> {
  yield* polluteDialect();
  yield* polluteSurroundings();
  for (let row = 1; row <= CLEAN_ROWS.length; row += step) yield* polluteRow(row);
}

function* polluteDialect(): Generator<PollutedFile> {
  const all = CLEAN_ROWS.length;
  const written = (name: string, style: Partial<Style>): PollutedFile => {
    const whole = { ...PLAIN, ...style };
    return { name, content: join(writeRows(whole), whole), cleanRows: all };
  };
  yield written("clean", {});
  const delimiters = ",\n\t\n|\n \n:\n^\n~\n, \n; \n||\n;;\n::\n\u001f\n§\n#".split("\n");
  for (const delimiter of delimiters) {
    yield written(`delimiter ${JSON.stringify(delimiter)}`, { delimiter });
    yield written(`delimiter ${JSON.stringify(delimiter)}, all quoted`, { delimiter, quoteAll: true });
  }
  for (const lineEnd of ["\r", "\r\n", "\n\r", "\n\n", "\r\r\n", "\u2028", "\u0085", "\u001e"]) {
    yield written(`line end ${JSON.stringify(lineEnd)}`, { lineEnd });
  }
  for (const quote of ["'", "`", "«", "|", ""]) {
    yield written(`quote ${quote}`, { quote, escape: quote });
    yield written(`quote ${quote}, all quoted`, { quote, escape: quote, quoteAll: true });
  }
  for (const escape of ["\\", "", "/", "'"]) {
    yield written(`escape ${escape}`, { escape });
    yield written(`escape ${escape}, all quoted`, { escape, quoteAll: true });
  }
  yield written("all quoted", { quoteAll: true });
  const ends = ["\n", "\r\n", "\r"];
  const mixed = writeRows().map((cells, index) => cells.join(";") + ends[index % 3]);
  yield { name: "mixed line ends", content: mixed.join(""), cleanRows: all };
  const text = join(writeRows());
  const encodings = "windows-1252 iso-8859-15 cp850 macroman utf-16le utf-16be utf-32le".split(" ");
  for (const encoding of encodings) {
    for (const addBOM of [true, false]) {
      const content = iconv.encode(text, encoding, { addBOM: addBOM && encoding.startsWith("utf") });
      yield { name: `${encoding}${addBOM ? " with mark" : ""}`, content, cleanRows: all };
    }
  }
  yield { name: "utf-8 mark", content: `\ufeff${text}`, cleanRows: all };
  const bytes = Buffer.from(text);
  for (const byte of [0x00, 0x80, 0x81, 0xe9, 0xff]) {
    const at = bytes.indexOf("Dupont", 900) + 2;
    const content = Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at)]);
    yield { name: `byte ${byte.toString(16)} in a cell`, content, cleanRows: all - 1 };
  }
}

/** Changes of the cells of every line, of the header too. */
const WIDENED: Readonly<Record<string, (cells: readonly string[], isHeader: boolean) => readonly string[]>> =
  {
    "empty column at the end": (cells) => [...cells, ""],
    "three empty columns at the end": (cells) => [...cells, "", "", ""],
    "empty column at the end of the rows": (cells, isHeader) => (isHeader ? cells : [...cells, ""]),
    "empty column at the end of the header": (cells, isHeader) => (isHeader ? [...cells, ""] : cells),
    "empty column in front": (cells) => ["", ...cells],
    "empty column in the middle": (cells) => [...cells.slice(0, 3), "", ...cells.slice(3)],
    "blanks around cells": (cells) => cells.map((cell) => (cell.startsWith('"') ? cell : ` ${cell} `)),
    "blanks around quoted cells": (cells) => cells.map((cell) => (cell.startsWith('"') ? ` ${cell} ` : cell)),
  };

function* polluteSurroundings(): Generator<PollutedFile> {
  const all = CLEAN_ROWS.length;
  const rows = writeRows();
  const text = join(rows);
  const [header = []] = rows;
  const body = join(rows.slice(1));
  const head = `${header.join(";")}\n`;
  const file = (name: string, content: string, cleanRows = all): PollutedFile => ({
    name,
    content,
    cleanRows,
  });
  yield file("empty file", "", 0);
  yield file("line end only", "\n", 0);
  yield file("header only", head, 0);
  yield file("one row", join(rows.slice(0, 2)), 1);
  yield file("two rows", join(rows.slice(0, 3)), 2);
  yield file("no header", body);
  yield file("no last line end", text.trimEnd());
  yield file("two last line ends", `${text}\n`);
  yield file("blank lines at the end", `${text}\n\n  \n`);
  yield file("padding rows at the end", `${text}${";".repeat(7)}\n${";".repeat(7)}\n`);
  yield file("header twice", head + text);
  yield file("second header line of units", `${head};;;;EUR;;;\n${body}`);
  yield file("header over two rows", `identite;;;;facture;;;\n${text}`);
  yield file("header over two rows, full", `id;ref;quand;qui;combien;ou;etat;remarque\n${text}`);
  yield file("header over three rows", `id;;;;;;;\nident;;;;facture;;;\n${text}`);
  yield file(
    "header cells with line ends",
    text.replace("num_commande", '"num_commande"').replace("ville", '"ville\n(siège)"'),
  );
  yield file("header twice the same name", text.replace("statut", "ville"));
  yield file("header without a name", text.replace("statut", ""));
  yield file("header in capitals", text.replace(head, head.toUpperCase()), 0);
  yield file("header one short", text.replace(";note\n", "\n"));
  yield file("header one more", text.replace(";note\n", ";note;extra\n"));
  for (const lines of [1, 2, 3, 5, 10]) {
    const preamble = Array.from({ length: lines }, (_, at) => `Export du logiciel, partie ${at + 1}\n`).join(
      "",
    );
    yield file(`${lines} preamble lines`, preamble + text);
    yield file(`${lines} preamble lines, blank line`, `${preamble}\n${text}`);
    yield file(`${lines} preamble lines, padded`, preamble.replaceAll("\n", ";;;;;;;\n") + text);
    yield file(`${lines} comment lines`, preamble.replaceAll("Export", "# Export") + text);
    yield file(`${lines} blank lines`, "\n".repeat(lines) + text);
    yield file(`${lines} footer lines`, text + preamble);
    yield file(`${lines} footer lines behind a blank line`, `${text}\n${preamble}`);
  }
  yield file("totals", `${text}Total;;;;84 000,00;;;\n`);
  yield file("totals, short", `${text}Total;84 000,00\n`);
  const second = {
    "less columns": "code;libelle;taux\nT1;normal;20\nT2;réduit;10\n",
    "one column": "code\nT1\nT2\n",
    "more columns": "a;b;c;d;e;f;g;h;i\n1;2;3;4;5;6;7;8;9\n",
    "the same columns": text,
    "as many other columns":
      "code;numero;le;libelle;montant;lieu;etat;texte\nT1;551;03/04/2024;normal;12,50;Lyon;vu;fin\nT2;552;04/04/2024;réduit;13,50;Metz;vu;fin\n",
    "as many other text columns": "code;b;c;d;e;f;g;h\nT1;;;x;;y;z;w\nT2;;;x;;y;z;w\n",
  };
  for (const [name, table] of Object.entries(second)) {
    yield file(`second table: ${name}`, text + table);
    yield file(`second table behind a blank line: ${name}`, `${text}\n${table}`);
    yield file(`second table behind padding: ${name}`, `${text}${";".repeat(7)}\n${table}`);
    yield file(`second table above: ${name}`, `${table}\n${text}`);
  }
  yield file(
    "second table in the middle",
    join(rows.slice(0, 40)) + second["less columns"] + join(rows.slice(40)),
  );
  for (const [name, change] of Object.entries(WIDENED)) {
    const content = join(rows.map((cells, at) => change(cells, at === 0)));
    yield file(name, content, name.startsWith("blanks around") ? 0 : all);
  }
  const numbered = rows.map((cells, at) => (at === 0 ? [""] : [String(at)]).concat(cells));
  yield file("index column", join(numbered));
  yield file("sep line", `sep=;\n${text}`);
  yield file("sep line that lies", `sep=,\n${text}`);
}

/** The record of row `k` if this text is in its cell at a position. */
function changedRecord(k: number, at: number, text: string): string {
  const record = JSON.parse(CLEAN_ROWS[k - 1]!.json) as Record<string, string>;
  return JSON.stringify({ ...record, [CLEAN_COLUMNS[at]!]: text });
}

function* polluteRow(k: number): Generator<PollutedFile> {
  const rows = writeRows();
  const cells = rows[k]!;
  const rest = CLEAN_ROWS.length - 1;
  const row = (name: string, line: string, cleanRows = rest, changed?: string): PollutedFile => ({
    name: `row ${k}: ${name}`,
    content: rows.map((other, at) => `${at === k ? line : other.join(";")}\n`).join(""),
    cleanRows,
    ...(changed === undefined ? {} : { changed }),
  });
  const swap = (at: number, cell: string): string =>
    cells.map((old, index) => (index === at ? cell : old)).join(";");
  for (const [at, cell] of cells.entries()) {
    const before = cells.slice(0, at).join(";");
    const after = cells.slice(at).join(";");
    if (at > 0) yield row(`separator ${at} missing`, before + after);
    if (at > 0) yield row(`separator ${at} doubled`, `${before};;${after}`);
    if (at > 0) yield row(`separator ${at} is a comma`, `${before},${after}`);
    yield row(`quote before cell ${at + 1}`, swap(at, `"${cell}`));
    const literal = (text: string): string | undefined =>
      cell.startsWith('"') ? undefined : changedRecord(k, at, text);
    yield row(`quote behind cell ${at + 1}`, swap(at, `${cell}"`), rest, literal(`${cell}"`));
    const middle = cell.length >> 1;
    const stray = `${cell.slice(0, middle)}"${cell.slice(middle)}`;
    yield row(`quote inside cell ${at + 1}`, swap(at, stray), rest, literal(stray));
    const torn = `${cell.slice(0, middle)}\n${cell.slice(middle)}`;
    const whole = cell.startsWith('"') ? torn.slice(1, -1).replaceAll('""', '"') : undefined;
    const changed = whole === undefined ? undefined : changedRecord(k, at, whole);
    yield row(`line end inside cell ${at + 1}`, swap(at, torn), rest, changed);
    if (cell.startsWith('"')) {
      yield row(`opening quote of cell ${at + 1} missing`, swap(at, cell.slice(1)));
      yield row(`closing quote of cell ${at + 1} missing`, swap(at, cell.slice(0, -1)));
      yield row(`quotes of cell ${at + 1} missing`, swap(at, cell.slice(1, -1)));
    } else {
      yield row(`cell ${at + 1} in quotes`, swap(at, `"${cell}"`), rest + 1);
    }
  }
  yield row("separator at the end", `${cells.join(";")};`);
  yield row("separator in front", `;${cells.join(";")}`);
  yield row(
    "commas",
    cells.map((cell) => writeCell(cell.replaceAll(/^"|"$/g, ""), { ...PLAIN, delimiter: "," })).join(","),
  );
  yield row("cut in the middle", cells.slice(0, 4).join(";"));
  yield row("blank line before", `\n${cells.join(";")}`, rest + 1);
  yield row("title line before", `Agence du Nord\n${cells.join(";")}`, rest + 1);
  yield row("all in one quoted cell", `"${cells.join(";").replaceAll('"', '""')}"`);
}
