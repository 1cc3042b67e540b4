import { countEdits } from "../fields/columns/near-miss.ts";

/** The known word that is meant by one that is mistyped: an edit or two away, by the length of the word; `undefined` if none is. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, edits: countEdits(word.toLowerCase(), candidate) }))
    .filter(({ candidate, edits }) => edits <= (candidate.length < 6 ? 1 : 2))
    .sort((one, other) => one.edits - other.edits);
  return near[0]?.candidate;
}
