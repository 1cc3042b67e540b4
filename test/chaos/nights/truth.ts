import type { Cells, Row } from "./shop.ts";

/** What a push reported of one row. */
export interface RowFate {
  /** The file of the row, as named in the results. */
  readonly file: string;
  readonly row: Row;
  readonly outcome: string;
  readonly msg: string;
}

/**
 * What is true of a shop's records, and what was reported. Records are told apart by the order's number, or by the
 * whole content, and counted: the service may hold at most as many as there are true orders, and must hold as many as reported.
 */
export class Truth {
  readonly #byNumber: boolean;
  readonly #held: readonly Cells[];
  /** By key: the orders that were in a file. */
  readonly #true = new Map<string, Set<number>>();
  /** By key: the orders that were reported to be in the service. */
  readonly #said = new Map<string, Set<number>>();

  constructor(
    { byNumber, hasNumbers }: { readonly byNumber: boolean; readonly hasNumbers: boolean },
    held: readonly Cells[],
  ) {
    this.#byNumber = byNumber;
    this.keyOf = byNumber
      ? ({ num_commande }) => num_commande
      : (cells) =>
          JSON.stringify([
            hasNumbers ? cells.num_commande : "",
            cells.date_billed,
            cells.actual_billable_amount.replace(/\.?0+$/, ""),
            cells.client,
          ]);
    this.#held = held;
  }

  /** The key that tells a record from others. */
  readonly keyOf: (cells: Cells) => string;

  /** True if a corrected order is another record. */
  get correctionsAreNew(): boolean {
    return !this.#byNumber;
  }

  /** Notes that a row is in a file that is pushed. */
  show({ order, cells }: Row): void {
    add(this.#true, this.keyOf(cells), order.id);
  }

  /** Notes that a row is in the service, as reported or seen there. */
  claim({ order, cells }: Row): void {
    add(this.#said, this.keyOf(cells), order.id);
  }

  /** Notes that a row that was in doubt is in the service: one more of the equal ones. */
  claimDoubt(row: Row): void {
    const key = this.keyOf(row.cells);
    const said = this.#said.get(key);
    const other = [...(this.#true.get(key) ?? [])].find((id) => said?.has(id) !== true);
    add(this.#said, key, said?.has(row.order.id) === true ? (other ?? row.order.id) : row.order.id);
  }

  isClaimed({ order, cells }: Row): boolean {
    return this.#said.get(this.keyOf(cells))?.has(order.id) ?? false;
  }

  /** True if no other order has this key. */
  isAlone({ cells }: Row): boolean {
    return (this.#true.get(this.keyOf(cells))?.size ?? 0) <= 1;
  }

  /** The number of records in the service, by key. */
  countHeld(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const cells of this.#held) {
      const key = this.keyOf(cells);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  /**
   * The rows that the service holds beyond those that were reported before; of equal rows, the first ones. Rows in doubt were never
   * reported: an equal row that was is another order's.
   */
  findThere(rows: readonly Row[], areInDoubt = false): ReadonlySet<Row> {
    const held = this.countHeld();
    const asked = areInDoubt ? rows.filter((row) => this.isAlone(row)) : rows;
    const own = new Set(asked.map(({ order, cells }) => `${order.id} ${this.keyOf(cells)}`));
    for (const [key, orders] of this.#said)
      for (const id of orders) if (!own.has(`${id} ${key}`)) held.set(key, (held.get(key) ?? 0) - 1);
    const there = new Set<Row>();
    for (const row of rows) {
      const key = this.keyOf(row.cells);
      const left = held.get(key) ?? 0;
      if (left <= 0) continue;
      held.set(key, left - 1);
      there.add(row);
    }
    return there;
  }

  /** Throws if what a push reported of its rows is not what the service holds; each file by itself, because they share rows. */
  judge(fates: readonly RowFate[]): void {
    for (const file of new Set(fates.map((fate) => fate.file)))
      this.#judgeFile(fates.filter((fate) => fate.file === file));
    if (fates.length === 0) this.#judgeFile([]);
  }

  #judgeFile(fates: readonly RowFate[]): void {
    this.#swapClaims(fates);
    for (const { row, outcome, msg } of fates)
      if (outcome === "accepted" || (outcome === "skipped" && !isDoubt(msg))) this.claim(row);
    const held = this.countHeld();
    for (const [key, orders] of this.#said) {
      const missing = orders.size - (held.get(key) ?? 0);
      if (missing <= 0) continue;
      const own = fates.filter(({ row }) => this.keyOf(row.cells) === key);
      if (!this.#isChance(own, missing, held.get(key) ?? 0))
        throw new Error(
          `lost: ${missing} of ${key}, ${orders.size} said to be there: ${JSON.stringify(own)}`,
        );
      for (const id of [...orders].slice(0, missing)) orders.delete(id);
    }
    for (const [key, count] of held) {
      const orders = this.#true.get(key)?.size ?? 0;
      if (count > orders) throw new Error(`twice: ${key} is there ${count} times, ${orders} orders have it`);
    }
  }

  /**
   * If some of several equal rows are in doubt or not sent, nobody can say which: moves that to another of them if the report
   * did.
   */
  #swapClaims(fates: readonly RowFate[]): void {
    for (const [key, orders] of this.#said) {
      if ((this.#true.get(key)?.size ?? 0) < 2) continue;
      const own = fates.filter(({ row }) => this.keyOf(row.cells) === key);
      const open = own.filter(
        ({ row, outcome, msg }) =>
          (outcome === "inDoubt" || outcome === "notSent" || isDoubt(msg)) && orders.has(row.order.id),
      );
      const created = own.filter(
        ({ row, outcome, msg }) => outcome === "skipped" && !isDoubt(msg) && !orders.has(row.order.id),
      );
      for (const { row } of open.slice(0, created.length)) orders.delete(row.order.id);
    }
  }

  /**
   * True if the missing rows may have been left out, and were reported so, because they are equal to rows of earlier orders. Equal
   * rows are counted, so the service then holds at least as many as one file.
   */
  #isChance(own: readonly RowFate[], missing: number, held: number): boolean {
    const told = own.filter(({ row, outcome }) => outcome === "skipped" && !this.isAlone(row));
    return told.length >= missing && mostInAFile(own) <= held;
  }
}

/** The most orders in one file. */
function mostInAFile(fates: readonly RowFate[]): number {
  const orders = new Map<string, Set<number>>();
  for (const { file, row } of fates) add(orders, file, row.order.id);
  return Math.max(0, ...[...orders.values()].map(({ size }) => size));
}

/** True if a skipped row was left in doubt by an earlier push. */
export function isDoubt(msg: string): boolean {
  return msg.includes("in doubt");
}

function add(sets: Map<string, Set<number>>, key: string, id: number): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([id]));
  else set.add(id);
}
