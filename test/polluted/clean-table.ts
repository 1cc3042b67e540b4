/** One row of the clean table: its cells as written, and its right record. */
export interface CleanRow {
  readonly cells: readonly string[];
  readonly json: string;
}

/** The header of the clean table. */
export const CLEAN_COLUMNS = [
  "cle",
  "num_commande",
  "date_billed",
  "client",
  "actual_billable_amount",
  "ville",
  "statut",
  "note",
];

const CLIENTS = ["Dupont; fils", "Société Générale", "Le Gall, Yann", 'Maison "Le Grand"', "Müller", "; rue"];
const CITIES = ["Paris", "Saint-Étienne", "Aix, en Provence", "Nîmes", "L'Haÿ-les-Roses", "; Gare"];
const NOTES = ["livré", "à rappeler\nle matin", 'écran 24" mat', "deux colis; un pli", "payé | soldé", ""];

/** Rows like those of a French order export: accents, decimal commas, cells that need quotes. */
export const CLEAN_ROWS: readonly CleanRow[] = Array.from({ length: 84 }, (_, index) => {
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
  const cells = [
    record.cle,
    number,
    `${day}/${month}/2024`,
    record.client,
    amount,
    record.ville,
    record.statut,
    record.note,
  ];
  const sent = Object.entries(record).filter(([, value]) => value !== "");
  return { cells, json: JSON.stringify(Object.fromEntries(sent)) };
});
