import { textWidth } from "../../report/text-width.ts";
import { wrapWords } from "../../report/wrap-line.ts";
import { type Block, markdownBlocks } from "./markdown-blocks.ts";

/** Columns between the cells of a table. */
const GAP = 2;
/** If the first column of a table is narrower than this, its cells are shown side by side. */
const MAX_FIRST_CELL = 24;

/** Markdown as text for a terminal of this width; `bold` shows headings. */
export function renderTopic(
  markdown: string,
  columns: number,
  bold: (text: string) => string = (text) => text,
): string {
  const lines: string[] = [];
  let before: Block | undefined;
  for (const block of markdownBlocks(markdown)) {
    // List items follow each other without a blank line.
    const isTight = before === undefined || (block.kind === "item" && before.kind === "item");
    if (!isTight) lines.push("");
    lines.push(...linesOf(block, columns, bold));
    before = block;
  }
  return lines.map((line) => `${line}\n`).join("");
}

function linesOf(block: Block, columns: number, bold: (text: string) => string): readonly string[] {
  switch (block.kind) {
    case "heading":
      return [bold(plainText(block.text))];
    case "paragraph":
      return wrapWords(plainText(block.text), columns, "");
    case "item":
      return wrapWords(
        `  ${block.mark} ${plainText(block.text)}`,
        columns,
        " ".repeat(block.mark.length + 3),
      );
    case "code":
      return block.lines.map((line) => `    ${line}`.trimEnd());
    case "table":
      return tableLines(block, columns);
  }
}

/** The first cell in a column of its own, the others next to it, one below the other. */
function tableLines({ header, rows }: Extract<Block, { kind: "table" }>, columns: number): readonly string[] {
  const cells = rows.map((row) => row.map(plainText));
  const first = Math.min(MAX_FIRST_CELL, Math.max(...cells.map(([cell = ""]) => textWidth(cell))));
  const indent = " ".repeat(first + GAP + 2);
  const lines: string[] = [];
  for (const [name = "", ...others] of cells) {
    const about = others.map((cell, at) => (at === 0 ? cell : `${header[at + 1]}: ${cell}`));
    const beside = about.flatMap((cell) => wrapWords(indent + cell, columns, indent));
    if (textWidth(name) > first) lines.push(...wrapWords(`  ${name}`, columns, "    "), ...beside);
    else
      lines.push(
        `  ${name}`.padEnd(indent.length) + (beside[0] ?? "").slice(indent.length),
        ...beside.slice(1),
      );
  }
  return lines;
}

/** The text without the marks for code, bold and italic words, and links. */
function plainText(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`")
        ? part.slice(1, -1)
        : part
            .replaceAll("**", "")
            .replaceAll(/(?<!\w)_([^_]+)_(?!\w)/g, "$1")
            .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"),
    )
    .join("");
}
