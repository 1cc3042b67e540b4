/**
 * A copy of the text in memory of its own. A cell may be a slice of the whole text around it, which would stay in
 * memory as long as the cell is remembered.
 */
export function ownText(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
