import { foldSpaces, SPACE, type FoldedText } from "./folded-text.ts";
import { placeText } from "./placed-text.ts";
import { undoAllEscapes } from "./undo-escapes.ts";

/** Shorter secrets would be found by chance inside ordinary words, so they are hidden only as separate words. */
const SHORTEST_FOUND_ANYWHERE = 8;

/** One form of a secret, for finding it in folded text. */
export interface SecretPattern {
  readonly units: readonly number[];
  /** For each unit, how often the secret repeats it in a row: only spaces are repeated. */
  readonly runs: readonly number[];
  /** Whether a run in the text must have the same length; a long secret is recognised without that. */
  readonly needsRuns: boolean;
  /** Found only between characters that do not belong to a word. */
  readonly isAlone: boolean;
  /** Found only if escapes were undone: a secret without its own escapes may look like any other text. */
  readonly isEscaped: boolean;
}

/** The forms in which a secret is looked for: as it is, with escapes of its own undone, and in base64. */
export function secretPatterns(secret: string): SecretPattern[] {
  const isAlone = secret.length < SHORTEST_FOUND_ANYWHERE;
  const forms = isAlone ? wholeForms(secret) : [...wholeForms(secret), ...innerForms(secret)];
  return forms.flatMap((form) => {
    const written = placeText(form);
    const undone = undoAllEscapes(written);
    const patterns = makePatterns(foldSpaces(written), { isAlone, isEscaped: false });
    if (undone === written) return patterns;
    return patterns.concat(makePatterns(foldSpaces(undone), { isAlone, isEscaped: true }));
  });
}

/** The form and, if enough of it is left, the form without its outer spaces, which may get lost. */
function makePatterns(
  { units, firsts, lasts, length }: FoldedText,
  traits: Pick<SecretPattern, "isAlone" | "isEscaped">,
): SecretPattern[] {
  const cut = (from: number, to: number): SecretPattern => ({
    units: Array.from(units.subarray(from, to)),
    runs: Array.from(units.subarray(from, to), (_, at) => lasts[from + at]! - firsts[from + at]! + 1),
    needsRuns: to - from < SHORTEST_FOUND_ANYWHERE,
    ...traits,
  });
  if (length === 0) return [];
  const start = units[0] === SPACE ? 1 : 0;
  const end = units[length - 1] === SPACE ? length - 1 : length;
  const isTrimmed = end - start < length && end - start >= SHORTEST_FOUND_ANYWHERE;
  return [cut(0, length), ...(isTrimmed ? [cut(start, end)] : [])];
}

function wholeForms(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64");
  const url = Buffer.from(secret).toString("base64url");
  return [secret, base64, base64.replace(/=+$/, ""), url];
}

/** The secret in base64 after other text, without the characters that depend on its neighbours. */
function innerForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const behind = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((behind.length * 8) / 6);
    return [behind.toString("base64").slice(from, to), behind.toString("base64url").slice(from, to)];
  });
}
