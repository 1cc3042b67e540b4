import { isOneEdit } from "../fields/columns/name-kinds.ts";

/** The known word that is one edit away from a mistyped one; `undefined` if there is none. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const meant = plain(word);
  return known.find((candidate) => plain(candidate) === meant || isOneEdit(meant, plain(candidate)));
}
