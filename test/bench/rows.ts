/** One row of the order export, as a French accounting program writes it. */
export type BenchRow = readonly [
  key: string,
  order: string,
  billed: string,
  amount: string,
  invoice: string,
  closed: string,
];

/** The header of the export, which also names the members of a record. */
export const COLUMNS = [
  "cle",
  "num_commande",
  "date_billed",
  "actual_billable_amount",
  "num_invoice",
  "date_closed",
] as const;

const SHARE_WITHOUT_KEY = 0.05;

/** The kind of rows to make. */
export interface RowsKind {
  /** Whether all rows have keys, or none; by default most have. */
  readonly keys?: "all" | "none";
  /** The number of rows in earlier files; none of those is repeated. */
  readonly before?: number;
}

/** The same rows for the same number, on every machine; 5 % have no key, and the first row settles where the day is in dates. */
export function* makeRows(count: number, { keys, before = 0 }: RowsKind = {}): Generator<BenchRow> {
  const random = seededRandom(20_160_705 + before);
  for (let index = before; index < before + count; index += 1) {
    const isFirst = index === before;
    const hasKey = keys === undefined ? isFirst || random() >= SHARE_WITHOUT_KEY : keys === "all";
    yield [
      hasKey ? `C${String(index).padStart(7, "0")}` : "",
      String(551_035 + index),
      isFirst ? "25/07/2016" : makeDate(random),
      makeAmount(random),
      String(16_000_162 + index),
      makeDate(random),
    ];
  }
}

function makeDate(random: () => number): string {
  const day = 1 + Math.floor(random() * 28);
  const month = 1 + Math.floor(random() * 12);
  return `${twoDigits(day)}/${twoDigits(month)}/2016`;
}

function makeAmount(random: () => number): string {
  const thousands = 1 + Math.floor(random() * 9);
  const rest = Math.floor(random() * 1000);
  return `${thousands} ${String(rest).padStart(3, "0")},50`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** Numbers from 0 to below 1 by mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
