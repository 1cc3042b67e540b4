import { countEdits } from "../fields/columns/near-miss.ts";

/**
 * The known word that was probably meant by a mistyped one: one or two edits away, depending on its length; `undefined`
 * if there is none.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const near = known
    .map((candidate) => ({ candidate, edits: countEdits(plain(word), plain(candidate)) }))
    .filter(({ candidate, edits }) => edits <= (candidate.length < 6 ? 1 : 2))
    .sort((one, other) => one.edits - other.edits);
  return near[0]?.candidate;
}
