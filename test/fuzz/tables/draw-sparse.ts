import type { Draw } from "../../chaos/random.ts";

/** How a cell of one column is written in one row. */
type Cell = (at: number) => string;

/** The columns of a table by name, each with how many of a hundred rows fill it. */
type Columns = readonly (readonly [name: string, filled: number, cell: Cell])[];

/** Names of people, firms and articles; some begin as a row of totals does. */
const NAMES =
  "Dupont|Martin SARL|Durand & Fils|Les Halles|Ets Petit|Garage Morel|Ville de Lyon|Weber GmbH|Acme Ltd|O'Neil|Boulangerie Rey|SCI du Port".split(
    "|",
  );
const TOTAL_NAMES =
  "Total Energies|Solde SARL|TVA Conseil|Report Audit|Total Access Lyon|Balance Studio|Sum Design|Saldo Moda|Page SARL|Nombre d'Or|Moyenne Surface|Marge Brute Editions".split(
    "|",
  );
const TOWNS = "Paris|Lyon|Nice|Lille|Brest|Metz|Pau".split("|");
const STATES = "open|billed|closed|late".split("|");
const LABELS =
  "Virement reçu|Prélèvement EDF|CB Leclerc|Loyer juillet|Frais de tenue|Remise chèques|Solde facture 12|Report échéance".split(
    "|",
  );
const KINDS = [
  "customers",
  "lines",
  "stock",
  "bank",
  "updates",
  "creates",
  "mixed",
  "ledger",
  "pair",
  "optional",
  "states",
  "settlements",
  "payments",
  "texts",
] as const;

/** A table that a person would call clean, though many of its cells are blank. */
interface SparseTable {
  readonly kind: string;
  /** A semicolon file. */
  readonly text: string;
  /** How many of its rows hold more than a key. */
  readonly records: number;
}

export function drawSparse(draw: Draw): SparseTable {
  const kind = draw.oneOf(KINDS);
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

function rowOf(kind: (typeof KINDS)[number], columns: Columns, at: number, draw: Draw): string[] {
  const cells = columns.map(([, filled, cell]) => (draw.percent(filled) ? cell(at) : ""));
  // Without its key, a create with a name or an amount alone looks like a heading or a total to anybody.
  if (kind === "mixed" && cells[0] === "")
    for (const column of [1, 4]) cells[column] = columns[column]![2](at);
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

function columnsOf(kind: (typeof KINDS)[number], draw: Draw): Columns {
  const name: Cell = () => (draw.percent(20) ? draw.oneOf(TOTAL_NAMES) : draw.oneOf(NAMES));
  const town: Cell = () => draw.oneOf(TOWNS);
  const amount: Cell = () => `${below(draw, 5000)},${10 + below(draw, 90)}`;
  const day: Cell = () =>
    `${String(1 + below(draw, 28)).padStart(2, "0")}/${String(1 + below(draw, 12)).padStart(2, "0")}/2026`;
  const code = (letters: string): Cell => {
    const first = 100 + below(draw, 800);
    return (at) => `${letters}${first + at}`;
  };
  const number: Cell = (at) => String(700_100 + at);
  const label: Cell = () => draw.oneOf(LABELS);
  const some = (least: number): number => least + below(draw, 101 - least);
  switch (kind) {
    case "customers":
      return [
        ["Code client", 100, code("C")],
        ["Nom", 99, name],
        ["Ville", some(60), town],
        ["Téléphone", some(20), () => `06 0${below(draw, 9)} 02 03 04`],
        ["E-mail", some(20), () => `${draw.oneOf(["a", "b", "c"])}${below(draw, 99)}@example.org`],
        ["Remarque", some(5), name],
      ];
    case "lines":
      return [
        ["Commande", some(90), number],
        ["Article", 100, code("A")],
        ["Désignation", some(80), name],
        ["Quantité", 100, () => String(1 + below(draw, 20))],
        ["Prix", some(70), amount],
        ["Remise", some(5), amount],
      ];
    case "stock":
      return [
        ["Repère", 100, code("R-")],
        ["Désignation", 100, name],
        ["Stock", some(50), () => String(below(draw, 300))],
        ["Emplacement", some(30), code("E")],
        ["PA", some(40), amount],
      ];
    case "bank":
      return [
        ["Date", 100, day],
        ["Libellé", 100, () => (draw.percent(20) ? name(0) : label(0))],
        ["Débit", 100, amount],
        ["Crédit", 100, amount],
        ["Pièce", some(10), number],
      ];
    case "updates":
      return [
        ["cle", 100, code("F")],
        ["date_closed", some(50), day],
        ["paid_amount", some(50), amount],
        ["note", some(5), name],
      ];
    case "creates":
      return [
        ["num_commande", 100, number],
        ["date_billed", some(70), day],
        ["actual_billable_amount", some(70), amount],
        ["client", some(80), name],
        ["note", some(5), name],
      ];
    case "mixed":
      return [
        ["cle", some(30), code("F")],
        ["client", some(90), name],
        ["ville", some(50), town],
        ["date_billed", some(60), day],
        ["actual_billable_amount", some(80), amount],
        ["note", some(5), name],
      ];
    case "ledger":
      return [
        ["JournalCode", 100, () => draw.oneOf(["VE", "AC", "BQ"])],
        ["EcritureNum", 100, number],
        ["Date écriture", 100, day],
        ["CompteNum", 100, () => String(401_000 + below(draw, 900))],
        ["CompAuxNum", 40, code("411")],
        ["PieceRef", some(60), code("P")],
        ["EcritureLib", 100, name],
        ["Debit", 100, amount],
        ["Credit", 100, amount],
        ["EcritureLet", 20, () => "AA"],
        ["DateLet", 20, day],
      ];
    case "pair":
      return [
        ["Client", 100, name],
        ["Montant", some(60), amount],
      ];
    case "optional": {
      const wide = Array.from({ length: 15 + below(draw, 45) }, (_, at): Columns[number] => [
        `Champ ${String.fromCharCode(97 + (at % 26))}${at > 25 ? "x" : ""}${at > 51 ? "y" : ""}`,
        some(5),
        draw.oneOf([name, town, amount, day]),
      ]);
      return [["Repère", 100, code("Z")], ["Nom", some(80), name], ...wide];
    }
    case "states":
      return [
        ["Dossier", 100, code("D")],
        ["Client", 100, name],
        ["Ouvert le", 100, day],
        ["État", 100, town],
        ["Facturé le", 100, day],
        ["Payé le", 100, day],
        ["Clos le", 100, day],
      ];
    case "settlements":
      return [
        ["Date", 100, day],
        ["Type", 100, () => draw.oneOf(["Order", "Refund"])],
        ["Order", 100, code("O")],
        ["SKU", 95, code("S")],
        ["Quantity", 90, () => String(1 + below(draw, 5))],
        ["Amount", 100, amount],
      ];
    case "payments":
      return [
        ["Date", 100, day],
        ["Payeur", 100, name],
        ["Montant", 100, amount],
        ["Moyen", some(60), () => draw.oneOf(["Chèque", "CB", "Virement"])],
        ["Facture", some(40), number],
      ];
    case "texts":
      return [
        ["Repère", some(85), code("T")],
        ["Société", 100, name],
        ["Ville", some(80), town],
        ["Moyen", some(50), () => draw.oneOf(["Chèque", "CB"])],
        ["Contact", some(30), name],
      ];
  }
}
