/** The texts of a list, parted by bars; line ends part them too, without the blanks around them. */
export function parted(list: TemplateStringsArray): string[] {
  return list[0]!.trim().split(/\s*\n\s*|\|/);
}

/** The cases of a table, one a line; its cells are parted by bars with blanks around them, and hold escapes like `\n`. */
export function casesOf(table: TemplateStringsArray): string[][] {
  const lines = table.raw[0]!.trim().split("\n");
  return lines.map((line) =>
    line
      .trim()
      .split(/ +\| +/)
      .map(unescape),
  );
}

function unescape(cell: string): string {
  return JSON.parse(`"${cell.replaceAll('"', String.raw`\"`)}"`) as string;
}
