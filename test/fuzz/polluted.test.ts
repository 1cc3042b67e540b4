import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { recordJson } from "../../src/model/settlement.ts";
import { sourceOf } from "../read/chunks.ts";
import { atNight } from "../support/draws.ts";
import { DEFAULT_FIELD_OPTIONS } from "../support/field-options.ts";
import { prepareWhole } from "../support/prepare-whole.ts";

/** One row of the clean table: its cells as written, and its right record. */
interface CleanRow {
  readonly cells: readonly string[];
  readonly json: string;
}

/** The header of the clean table. */
const CLEAN_COLUMNS = "cle num_commande date_billed client actual_billable_amount ville statut note".split(
  " ",
);

const CLIENTS = ["Dupont; fils", "Société Générale", "Le Gall, Yann", 'Maison "Le Grand"', "Müller", "; rue"];
const CITIES = ["Paris", "Saint-Étienne", "Aix, en Provence", "Nîmes", "L'Haÿ-les-Roses", "; Gare"];
const NOTES = ["livré", "à rappeler\nle matin", 'écran 24" mat', "deux colis; un pli", "payé | soldé", ""];

/** Rows like those of a French order export: accents, decimal commas, cells that need quotes. */
const CLEAN_ROWS: readonly CleanRow[] = Array.from({ length: 84 }, (_, index) => {
  const day = String((index % 28) + 1).padStart(2, "0");
  const month = String((index % 12) + 1).padStart(2, "0");
  const number = String(550_000 + index * 37);
  const euros = 3 + ((index * 731) % 990);
  const cents = String((index * 17) % 100).padStart(2, "0");
  const thousands = index % 3 === 0 ? 1 + (index % 7) : undefined;
  const padded = thousands === undefined ? String(euros) : String(euros).padStart(3, "0");
  const record = {
    cle: `C${1000 + index}`,
    num_commande: number,
    date_billed: `2024-${month}-${day}`,
    client: CLIENTS[index % 6]!,
    actual_billable_amount: `${thousands ?? ""}${padded}.${cents}`,
    ville: CITIES[(index * 5 + (index >> 3)) % 6]!,
    statut: index % 2 === 0 ? "ouvert" : "clos",
    note: NOTES[(index + (index >> 2)) % 6]!,
  };
  const amount = `${thousands === undefined ? "" : `${thousands} `}${padded},${cents}`;
  const written = { ...record, date_billed: `${day}/${month}/2024`, actual_billable_amount: amount };
  const cells = Object.values(written);
  const sent = Object.entries(record).filter(([, value]) => value !== "");
  return { cells, json: JSON.stringify(Object.fromEntries(sent)) };
});

/** The clean table spoiled in one way. */
interface PollutedFile {
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
function* pollute(step: number): Generator<PollutedFile> {
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
  const bothWays = (name: string, style: Partial<Style>): PollutedFile[] => [
    written(name, style),
    written(`${name}, all quoted`, { ...style, quoteAll: true }),
  ];
  yield written("clean", {});
  const delimiters = ",\n\t\n|\n \n:\n^\n~\n, \n; \n||\n;;\n::\n\u001f\n§\n#".split("\n");
  for (const delimiter of delimiters)
    yield* bothWays(`delimiter ${JSON.stringify(delimiter)}`, { delimiter });
  for (const lineEnd of ["\r", "\r\n", "\n\r", "\n\n", "\r\r\n", "\u2028", "\u0085", "\u001e"]) {
    yield written(`line end ${JSON.stringify(lineEnd)}`, { lineEnd });
  }
  for (const quote of ["'", "`", "«", "|", ""]) yield* bothWays(`quote ${quote}`, { quote, escape: quote });
  for (const escape of ["\\", "", "/", "'"]) yield* bothWays(`escape ${escape}`, { escape });
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

/** What stands around a table; titles, totals, remarks and other faults of a header are drawn with the tables. */
function* polluteSurroundings(): Generator<PollutedFile> {
  const rows = writeRows();
  const text = join(rows);
  const cleanRows = CLEAN_ROWS.length;
  const file = (name: string, content: string): PollutedFile => ({ name, content, cleanRows });
  yield file("header over two rows", `identite;;;;facture;;;\n${text}`);
  yield file("header over two rows, full", `id;ref;quand;qui;combien;ou;etat;remarque\n${text}`);
  yield file("header over three rows", `id;;;;;;;\nident;;;;facture;;;\n${text}`);
  yield file("second header line of units", text.replace("note\n", "note\n;;;;EUR;;;\n"));
  yield file("header cells with line ends", text.replace("num_commande", '"num_\ncommande"'));
  yield file("header one more", text.replace(";note\n", ";note;extra\n"));
  for (const lines of [1, 5])
    yield file(`${lines} comment lines`, "# Export du logiciel\n".repeat(lines) + text);
  yield file("index column", join(rows.map((cells, at) => [at === 0 ? "" : String(at)].concat(cells))));
  yield file("empty column in front", text.replaceAll(/^(?=C1|cle)/gm, ";"));
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

/**
 * Well-formed files with other content: a code page that was not named, signs around texts that are quotes only under `--quote`.
 */
const OTHER_CONTENT = /^quote ['|]|^macroman/;

/** Pushes files with `--other-columns send --on-invalid skip`, and compares every record with the clean ones. */
async function score(files: Iterable<PollutedFile>) {
  const clean = new Set(CLEAN_ROWS.map(({ json }) => json));
  const wrong: { readonly name: string; readonly json: string }[] = [];
  let [readable, exact] = [0, 0];
  for (const { name, content, cleanRows, changed } of files) {
    const outcome = await prepareWhole(sourceOf(content), { ...DEFAULT_FIELD_OPTIONS, otherColumns: "send" });
    if (outcome.kind === "refused") continue;
    const found = new Set<string>();
    for (const json of outcome.records.map(recordJson)) {
      if (clean.has(json) && !found.has(json)) found.add(json);
      else if (json !== changed) wrong.push({ name, json });
    }
    readable += cleanRows;
    exact += Math.min(found.size, cleanRows);
  }
  return { wrong, share: exact / readable };
}

describe("a file polluted in one way", () => {
  it("gives no wrong row and, unless it is refused, nearly all clean rows, with no option but --on-invalid skip", async () => {
    const files = [...pollute(9)].filter(({ name }) => !OTHER_CONTENT.test(name));
    expect(files.length).toBeGreaterThan(500);
    const { wrong, share } = await score(files.filter((_, at) => atNight || at % 10 === 0));
    expect(wrong).toEqual([]);
    expect(share).toBeGreaterThanOrEqual(0.97);
  });
});
