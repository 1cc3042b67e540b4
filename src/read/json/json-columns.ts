import { MOST_COLUMNS } from "../../model/most-columns.ts";
import { inputError } from "../input-error.ts";
import type { JsonScanner } from "./json-scan.ts";

/** An object that uses data as names would otherwise fill memory. */
const MAX_NAMES_LENGTH = 1_048_576;

/** The member names of one pass, in order of first appearance in the file. */
export class JsonColumns {
  readonly names: string[] = [];
  private readonly encoded: Buffer[] = [];
  private readonly columns = new Map<string, number>();
  /**
   * Most rows have the same names in the same order: for each ordinal, the column at this position in the row before.
   */
  private readonly expected: number[] = [];
  private namesLength = 0;

  /**
   * The column of the name that the scanner is at, the `ordinal`th (from 0) of its row. Throws an input error at more
   * than 2,000 names, or at names of more than 1 MiB in total.
   */
  find(scanner: JsonScanner, ordinal: number): number {
    const expected = this.expected[ordinal];
    if (expected !== undefined && scanner.token.holds(this.encoded[expected]!)) return expected;
    const name = scanner.token.text();
    const column = this.columns.get(name) ?? this.add(name, scanner);
    if (ordinal < MOST_COLUMNS) this.expected[ordinal] = column;
    return column;
  }

  /** Whether a member of this name was met. */
  has(name: string): boolean {
    return this.columns.has(name);
  }

  /** The column of a name. Throws like {@link find}. */
  findByName(name: string, scanner: JsonScanner): number {
    return this.columns.get(name) ?? this.add(name, scanner);
  }

  private add(name: string, scanner: JsonScanner): number {
    this.namesLength += name.length;
    if (this.names.length === MOST_COLUMNS || this.namesLength > MAX_NAMES_LENGTH) {
      throw inputError(
        scanner.window.linePlace,
        "too-many-columns",
        `more than ${MOST_COLUMNS.toLocaleString("en")} different member names, or names of more than 1 MiB`,
        { hint: "give every row the same members: names that are data (ids, dates) have to become values" },
      );
    }
    this.columns.set(name, this.names.length);
    this.encoded.push(Buffer.from(name));
    return this.names.push(name) - 1;
  }
}
