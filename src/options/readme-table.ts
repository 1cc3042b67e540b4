import { README_ROWS, type ReadmeRow } from "./declaration.ts";
import { flagOf, TABLE, type TableEntry } from "./table.ts";

/** README's table of options: spellings and purpose. */
export function readmeTable(): readonly (readonly [options: string, about: string])[] {
  return (Object.keys(README_ROWS) as ReadmeRow[]).map((row) => {
    const words = TABLE.filter(({ declaration }) => declaration.readme?.row === row).flatMap(spellings);
    return [words.map((word) => `\`${word}\``).join(", "), README_ROWS[row]];
  });
}

function spellings({ name, declaration }: TableEntry): readonly string[] {
  const { spelled = [] } = declaration.readme ?? {};
  const words = spelled.length === 0 ? [flagOf(name, declaration)] : spelled;
  return declaration.environment === undefined ? words : [...words, declaration.environment];
}
