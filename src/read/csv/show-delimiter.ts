/** A delimiter as a shell takes it behind `--delimiter`. */
export function showDelimiter(delimiter: string): string {
  if (delimiter === "\t") return "tab";
  return delimiter === "'" ? `"'"` : `'${delimiter}'`;
}
