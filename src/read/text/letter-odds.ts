import { CYRILLIC_LETTERS, CYRILLIC_TABLE, LETTER_TABLE } from "./letter-table.ts";

/** A language whose letter frequencies are known; `cyrillic` stands for all that are written in Cyrillic. */
export type Language = keyof typeof LETTER_TABLE | "cyrillic";

/** In the order of {@link letterOdds}. */
export const LANGUAGES: readonly Language[] = [
  ...(Object.keys(LETTER_TABLE) as (keyof typeof LETTER_TABLE)[]),
  "cyrillic",
];

/** A letter that the language does not have. */
const FOREIGN = -17;
/** A letter between neighbours that it never has. */
const RAREST = -15;
/** The share of a letter's occurrences that a neighbour missing from the table may still have. */
const UNSEEN_SHARE = 0.003;
/** For each neighbour that is non-ASCII too. */
const CROWDED = -1.5;
/** The first Cyrillic letter of a word in a table that is otherwise ASCII. */
const CYRILLIC_WORD = -6;

/** A letter's odds in one language, with both neighbours and with each by itself. */
interface LetterOdds {
  readonly share: number;
  readonly pairs: ReadonlyMap<string, number>;
  readonly before: ReadonlyMap<string, number>;
  readonly after: ReadonlyMap<string, number>;
}

let tables: readonly ReadonlyMap<string, LetterOdds>[] | undefined;
const known = new Map<string, readonly number[]>();
/** Texts of one language hold some hundred; a process that reads files for months must not gather all of them. */
const MOST_KNOWN = 50_000;

/**
 * How likely a non-ASCII letter is at its place in each of {@link LANGUAGES}: the logarithm of its share among all
 * letters. Takes lower case; `before` and `after` are the neighbouring characters.
 */
export function letterOdds(letter: string, before: string, after: string): readonly number[] {
  const key = before + letter + after;
  let odds = known.get(key);
  if (odds === undefined) {
    tables ??= Object.values(LETTER_TABLE).map(readLanguage);
    const left = toNeighbour(before);
    const right = toNeighbour(after);
    const crowd = (isCrowded(before, left) + isCrowded(after, right)) * CROWDED;
    odds = [
      ...tables.map((table) => oddsBetween(table.get(letter), left, right) + crowd),
      cyrillicOdds(letter, before),
    ];
    if (known.size === MOST_KNOWN) known.clear();
    known.set(key, odds);
  }
  return odds;
}

const BASES: Readonly<Record<string, string>> = { ł: "l", đ: "d", ø: "o", æ: "a", œ: "o", ß: "s" };

/** The letters a to z also stand for those with accents, `_` for everything that is not a letter. */
function toNeighbour(character: string): string {
  if (character >= "a" && character <= "z") return character;
  if (!/\p{L}/u.test(character)) return "_";
  return BASES[character] ?? character.normalize("NFD").charAt(0);
}

function isCrowded(character: string, neighbour: string): number {
  return character >= "\u0080" && neighbour !== "_" ? 1 : 0;
}

function oddsBetween(odds: LetterOdds | undefined, left: string, right: string): number {
  if (odds === undefined) return FOREIGN;
  const together = odds.pairs.get(left + right) ?? 0;
  const unseen = odds.share * UNSEEN_SHARE;
  const apart =
    (((odds.before.get(left) ?? 0) + unseen) * ((odds.after.get(right) ?? 0) + unseen)) / odds.share;
  return Math.max(Math.log((together + apart) / 2), RAREST);
}

function readLanguage(groups: string): ReadonlyMap<string, LetterOdds> {
  return new Map(groups.split(" ").map((group) => [group.charAt(0), readLetter(group.slice(1))]));
}

function readLetter(entries: string): LetterOdds {
  const pairs = new Map<string, number>();
  const before = new Map<string, number>();
  const after = new Map<string, number>();
  let share = 0;
  for (let at = 0; at < entries.length; at += 3) {
    const left = entries.charAt(at);
    const right = entries.charAt(at + 1);
    const odds = Math.exp(-4 - Number.parseInt(entries.charAt(at + 2), 36) / 3);
    pairs.set(left + right, odds);
    before.set(left, (before.get(left) ?? 0) + odds);
    after.set(right, (after.get(right) ?? 0) + odds);
    share += odds;
  }
  return { share, pairs, before, after };
}

function cyrillicOdds(letter: string, before: string): number {
  const column = CYRILLIC_LETTERS.indexOf(letter);
  if (column === -1) return FOREIGN;
  const row = CYRILLIC_LETTERS.indexOf(before);
  const level = Number(CYRILLIC_TABLE.at(row)?.charAt(column) ?? 9);
  return -1 - level + (row === -1 ? CYRILLIC_WORD : 0);
}
