import { normaliseName } from "./column-names.ts";
import { editsTo, FIRST_ROW, MOST_EDITS, nextRow, type EditRow } from "./edit-row.ts";

const SHORT_LENGTH = 5;
const LONG_LENGTH = 8;

interface KnownField {
  readonly name: string;
  /** Position in the order of declaration. */
  readonly order: number;
}

/** A prefix of normalised field names, and the fields that end there. */
interface Beginning {
  readonly longer: Map<string, Beginning>;
  readonly fields: KnownField[];
}

/**
 * Known fields, for finding the one that a misspelt header probably means: one edit away, or two from eight letters on;
 * names of up to five letters must also begin alike. A name equal to a field is no near miss. The fields are stored by
 * prefix, so that a header is only compared with those that begin almost as it does.
 */
export class NearMisses {
  readonly #root: Beginning = { longer: new Map(), fields: [] };

  constructor(fields: Iterable<string>) {
    let order = 0;
    for (const name of fields) {
      let at = this.#root;
      for (const letter of normaliseName(name).split("")) {
        let longer = at.longer.get(letter);
        if (longer === undefined) {
          longer = { longer: new Map(), fields: [] };
          at.longer.set(letter, longer);
        }
        at = longer;
      }
      at.fields.push({ name, order: order++ });
    }
  }

  /** The nearest field; among equally near ones, the one with the most similar spelling, else the first. */
  nearest(header: string): string | undefined {
    const near = this.#near(normaliseName(header));
    let best = near.pop();
    if (best === undefined || near.length === 0) return best?.name;
    let fewest = countEdits(header, best.name);
    for (const field of near) {
      const edits = countEdits(header, field.name);
      if (edits > fewest || (edits === fewest && field.order > best.order)) continue;
      best = field;
      fewest = edits;
    }
    return best.name;
  }

  /** The fields with the fewest edits. */
  #near(name: string): KnownField[] {
    if (name === "") return [];
    let most = MOST_EDITS;
    let found: KnownField[] = [];
    const open: { readonly at: Beginning; readonly row: EditRow; readonly first: string }[] = [
      { at: this.#root, row: FIRST_ROW, first: "" },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { at, row, first } = next;
      const edits = editsTo(row, name);
      const allowed = row.length >= LONG_LENGTH ? 2 : 1;
      const beginsAlike = row.length > SHORT_LENGTH || first === name[0];
      if (at.fields.length > 0 && edits > 0 && edits <= Math.min(allowed, most) && beginsAlike) {
        if (edits < most) found = [];
        most = edits;
        for (const field of at.fields) found.push(field);
      }
      for (const [letter, longer] of at.longer) {
        const longerRow = nextRow(row, letter, name);
        if (longerRow.fewest <= most) open.push({ at: longer, row: longerRow, first: first || letter });
      }
    }
    return found;
  }
}

/**
 * Counts the edits between two names: inserting, deleting or changing a letter, or swapping two neighbours (optimal
 * string alignment distance). More than two count as three.
 */
export function countEdits(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > MOST_EDITS) return MOST_EDITS + 1;
  let row = FIRST_ROW;
  for (const letter of left.split("")) {
    row = nextRow(row, letter, right);
    if (row.fewest > MOST_EDITS) return row.fewest;
  }
  return editsTo(row, right);
}
