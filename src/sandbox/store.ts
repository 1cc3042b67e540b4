/**
 * A record as the sandbox stores it. It is never changed in place: an update replaces it with a new object.
 */
export type SandboxRecord = Readonly<Record<string, string>>;

/** One table. `records` is live, maps `cle` to record, and iterates in order of creation. */
export interface TableView {
  readonly name: string;
  readonly records: ReadonlyMap<string, SandboxRecord>;
}

/** Read access to what the sandbox holds. */
export interface StoreView {
  /** In order of creation. */
  tables(): readonly TableView[];
  table(name: string): TableView | undefined;
  /** The present records of a table, in order of creation; empty if there is no such table. */
  snapshot(name: string): readonly SandboxRecord[];
}

class Table implements TableView {
  readonly name: string;
  readonly records = new Map<string, SandboxRecord>();
  #lastNumber = 0;

  constructor(name: string) {
    this.name = name;
  }

  nextKey(taken: ReadonlySet<string>): string {
    for (;;) {
      this.#lastNumber += 1;
      const key = `F${String(this.#lastNumber).padStart(6, "0")}`;
      if (!this.records.has(key) && !taken.has(key)) return key;
    }
  }

  put(record: SandboxRecord): void {
    const key = record["cle"] as string;
    const held = this.records.get(key);
    // Spreading defines members, so a field called __proto__ is a field like any other.
    this.records.set(key, held === undefined ? record : { ...held, ...record });
  }
}

/**
 * The tables of the sandbox. Records remain the objects that JSON.parse made: with shared shapes they take about as
 * much memory as their text.
 */
export class Store implements StoreView {
  readonly #tables = new Map<string, Table>();

  tables(): readonly TableView[] {
    return [...this.#tables.values()];
  }

  table(name: string): TableView | undefined {
    return this.#tables.get(name);
  }

  snapshot(name: string): readonly SandboxRecord[] {
    return [...(this.#tables.get(name)?.records.values() ?? [])];
  }

  /**
   * Applies records in array order: without `cle` a new record with a new key, with `cle` only the fields given; an
   * unknown `cle` is created (the specification leaves that open). The records become the store's.
   */
  apply(name: string, records: readonly SandboxRecord[]): void {
    if (records.length === 0) return;
    const table = this.#tables.get(name) ?? new Table(name);
    this.#tables.set(name, table);
    // A new key must not be one that the same batch names: that would merge two records.
    const taken = new Set(records.flatMap(({ cle }) => cle ?? []));
    for (const record of records)
      table.put(hasKey(record) ? record : { cle: table.nextKey(taken), ...record });
  }
}

/** True for a record with a key. */
export function hasKey(record: SandboxRecord): boolean {
  return record["cle"] !== undefined;
}
