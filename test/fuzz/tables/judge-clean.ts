import { createDraw, type Draw } from "../../chaos/random.ts";
import { parted } from "../../support/parted.ts";
import { type TableOrder, type TableScore } from "./judge-tables.ts";
import { runCheck } from "./run-check.ts";

/** How a cell of one column is written in one row. */
type Cell = (at: number) => string;

/** The columns of a table by name, each with how many of a hundred rows fill it. */
type Columns = readonly (readonly [name: string, filled: number, cell: Cell])[];

/** Names of people, firms and articles; some begin as a row of totals does. */
const NAMES = parted`Dupont|Martin SARL|Durand & Fils|Les Halles|Ets Petit|Garage Morel|Ville de Lyon|Weber GmbH|Acme Ltd|O'Neil|Boulangerie Rey|SCI du Port`;
const TOTAL_NAMES = parted`Total Energies|Solde SARL|TVA Conseil|Report Audit|Total Access Lyon|Balance Studio|Sum Design|Saldo Moda|Page SARL|Nombre d'Or|Moyenne Surface|Marge Brute Editions`;
const TOWNS = parted`Paris|Lyon|Nice|Lille|Brest|Metz|Pau`;
const STATES = parted`open|billed|closed|late`;
const LABELS = parted`Virement reçu|Prélèvement EDF|CB Leclerc|Loyer juillet|Frais de tenue|Remise chèques|Règlement facture 12|Échéance prêt`;
/**
 * The columns of each kind: its name, how its cells are made, and in how many of a hundred rows it is filled, 100 if it does not
 * say; `~60`: a share from 60 on, which is drawn for each table.
 */
const KINDS = {
  customers: parted`Code client=code:C|Nom=name 99|Ville=town ~60|Téléphone=phone ~20|E-mail=mail ~20|Remarque=name ~5`,
  lines: parted`Commande=number ~90|Article=code:A|Désignation=name ~80|Quantité=upTo:20|Prix=amount ~70|Remise=amount ~5`,
  stock: parted`Repère=code:R-|Désignation=name|Stock=below:300 ~50|Emplacement=code:E ~30|PA=amount ~40`,
  bank: parted`Date=day|Libellé=label|Débit=amount|Crédit=amount|Pièce=number ~10`,
  updates: parted`cle=code:F|date_closed=day ~50|paid_amount=amount ~50|note=name ~5`,
  creates: parted`num_commande=number|date_billed=day ~70|actual_billable_amount=amount ~70|client=name ~80|note=name ~5`,
  mixed: parted`cle=code:F ~30|client=name ~90|ville=town ~50|date_billed=day ~60|actual_billable_amount=amount ~80|note=name ~5`,
  ledger: parted`JournalCode=of:VE/AC/BQ|EcritureNum=number|Date écriture=day|CompteNum=account|CompAuxNum=code:411 40|PieceRef=code:P ~60|EcritureLib=name|Debit=amount|Credit=amount|EcritureLet=is:AA 20|DateLet=day 20`,
  pair: parted`Client=name|Montant=amount ~60`,
  optional: parted`Repère=code:Z|Nom=name ~80`,
  states: parted`Dossier=code:D|Client=name|Ouvert le=day|État=town|Facturé le=day|Payé le=day|Clos le=day`,
  settlements: parted`Date=day|Type=of:Order/Refund|Order=code:O|SKU=code:S 95|Quantity=upTo:5 90|Amount=amount`,
  payments: parted`Date=day|Payeur=name|Montant=amount|Moyen=of:Chèque/CB/Virement ~60|Facture=number ~40`,
  texts: parted`Repère=code:T ~85|Société=name|Ville=town ~80|Moyen=of:Chèque/CB ~50|Contact=name ~30`,
} as const;
type Kind = keyof typeof KINDS;

/** A table that a person would call clean, though many of its cells are blank. */
interface SparseTable {
  readonly kind: string;
  /** A semicolon file. */
  readonly text: string;
  /** How many of its rows hold more than a key. */
  readonly records: number;
}

function drawSparse(draw: Draw): SparseTable {
  const kind = draw.oneOf(Object.keys(KINDS) as Kind[]);
  const count = draw.oneOf([1, 2, 3, 5, 8, 13, 30, 80, 300]) + below(draw, 3);
  const columns = columnsOf(kind, draw);
  const rows: string[][] = [];
  for (let at = 0; at < count; at++) rows.push(rowOf(kind, columns, at, draw));
  const lines = [columns.map(([name]) => name), ...rows].map((cells) => cells.join(";"));
  const isRecord = (cells: readonly string[]): boolean =>
    cells.some((cell, at) => cell !== "" && columns[at]![0] !== "cle");
  return { kind, text: `${lines.join("\n")}\n`, records: rows.filter(isRecord).length };
}

function below(draw: Draw, most: number): number {
  return draw.between(0, most - 1);
}

function rowOf(kind: Kind, columns: Columns, at: number, draw: Draw): string[] {
  const cells = columns.map(([, filled, cell]) => (draw.percent(filled) ? cell(at) : ""));
  // Without its key, a create that lacks its name, its date or its amount looks like a heading or a total to anybody; and a
  // person looks twice at a row of texts that does not fill most of the other columns.
  const needed = cells[0] !== "" ? [] : kind === "mixed" ? [1, 3, 4] : kind === "texts" ? [1, 2, 3] : [];
  for (const column of needed) cells[column] = columns[column]![2](at);
  if (kind === "bank") cells[draw.percent(60) ? 3 : 2] = "";
  // What a state does not have yet is blank.
  if (kind === "states") {
    const reached = below(draw, 4);
    cells[3] = STATES[reached]!;
    for (let later = 4 + reached; later < cells.length; later++) cells[later] = "";
  }
  if (kind === "settlements" && draw.percent(15)) {
    cells[1] = "Transfer";
    for (const column of [2, 3, 4]) cells[column] = "";
  }
  return cells;
}

function columnsOf(kind: Kind, draw: Draw): Columns {
  const some = (least: number): number => least + below(draw, 101 - least);
  const optional = kind === "optional" ? 15 + below(draw, 45) : 0;
  const wide = Array.from({ length: optional }, (_, at): Columns[number] => [
    `Champ ${String.fromCharCode(97 + (at % 26))}${at > 25 ? "x" : ""}${at > 51 ? "y" : ""}`,
    some(5),
    cellOf(draw.oneOf(["name", "town", "amount", "day"]), "", draw),
  ]);
  const own = KINDS[kind].map((column): Columns[number] => {
    const [, name = "", what = "", more = "", drawn = "", share = "100"] =
      /^([^=]+)=(\w+)(?::([^ ]+))?(?: (~?)(\d+))?$/.exec(column) ?? [];
    const filled = drawn === "" ? Number(share) : some(Number(share));
    return [name, filled, cellOf(what, more, draw)];
  });
  return [...own, ...wide];
}

function cellOf(what: string, more: string, draw: Draw): Cell {
  const name: Cell = () => (draw.percent(20) ? draw.oneOf(TOTAL_NAMES) : draw.oneOf(NAMES));
  const twoDigits = (most: number): string => String(1 + below(draw, most)).padStart(2, "0");
  switch (what) {
    case "name":
      return name;
    case "town":
      return () => draw.oneOf(TOWNS);
    case "label":
      return (at) => (draw.percent(20) ? name(at) : draw.oneOf(LABELS));
    case "amount":
      return () => `${below(draw, 5000)},${10 + below(draw, 90)}`;
    case "day":
      return () => `${twoDigits(28)}/${twoDigits(12)}/2026`;
    case "code": {
      const first = 100 + below(draw, 800);
      return (at) => `${more}${first + at}`;
    }
    case "number":
      return (at) => String(700_100 + at);
    case "account":
      return () => String(401_000 + below(draw, 900));
    case "phone":
      return () => `06 0${below(draw, 9)} 02 03 04`;
    case "mail":
      return () => `${draw.oneOf(["a", "b", "c"])}${below(draw, 99)}@example.org`;
    case "upTo":
      return () => String(1 + below(draw, Number(more)));
    case "below":
      return () => String(below(draw, Number(more)));
    case "of":
      return () => draw.oneOf(more.split("/"));
    case "is":
      return () => more;
    default:
      throw new Error(`no cell is a ${what}`);
  }
}

/** Of 5,000 tables at most 25 may be asked about totals, rows unlike all others, or their end. */
const ODD_SHARE = 1 / 200;
const ODD_CODES = /total|odd row|cut-file/;

const OPTIONS = ["--other-columns", "send"];

/** Draws clean tables with many blank cells, and counts which are asked about. */
export async function judgeClean({ first, files, directory }: TableOrder): Promise<TableScore> {
  const asked = new Map<string, number>();
  const wrong: string[] = [];
  let odd = 0;
  for (let seed = first; seed < first + files; seed++) {
    const { kind, text, records } = drawSparse(createDraw(seed));
    const file = { name: `sparse-${kind}-${seed}.csv`, bytes: Buffer.from(text) };
    const { code, sent, why } = await runCheck(file, OPTIONS, directory);
    const isAsked = code === 3;
    if (sent.length !== (isAsked ? 0 : records))
      wrong.push(`WRONG clean seed ${seed}: it holds ${records} records, and sent are ${sent.length}`);
    if (!isAsked) continue;
    asked.set(why, (asked.get(why) ?? 0) + 1);
    if (ODD_CODES.test(why)) odd++;
  }
  const reasons = [...asked].map(([why, count]) => `${why} ${count}`).join(", ");
  return {
    lines: [
      ...wrong,
      `${files} clean tables: ${wrong.length} wrong, ${odd} asked about totals, odd rows or their end (all questions: ${reasons})`,
    ],
    isHeld: wrong.length === 0 && odd <= Math.max(1, files * ODD_SHARE),
  };
}
