/** A block of README's Markdown. */
export type Block =
  | { readonly kind: "heading" | "paragraph"; readonly text: string }
  | { readonly kind: "item"; readonly mark: string; readonly text: string }
  | { readonly kind: "code"; readonly lines: readonly string[] }
  | {
      readonly kind: "table";
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

const FENCE = /^ *```/;

/** Splits Markdown into blocks: headings, paragraphs, list items, fenced code, tables. */
export function markdownBlocks(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split("\n");
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    const end = endOf(lines, at);
    const part = lines.slice(at, end);
    if (FENCE.test(line)) blocks.push({ kind: "code", lines: undent(part.slice(1, -1)) });
    else if (line.startsWith("|")) blocks.push(tableOf(part));
    else if (line.startsWith("#")) blocks.push({ kind: "heading", text: line.replace(/^#+ /, "") });
    else if (line.trim() !== "") blocks.push(...wordsOf(part));
    at = end;
  }
  return blocks;
}

/** The index after the block that begins at this line. */
function endOf(lines: readonly string[], start: number): number {
  const first = lines[start]!;
  const isFence = FENCE.test(first);
  if (first.startsWith("#") || first.trim() === "") return start + 1;
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at]!;
    if (isFence && FENCE.test(line)) return at + 1;
    if (!isFence && (line.trim() === "" || FENCE.test(line))) return at;
  }
  return lines.length;
}

/** A paragraph, or the items of a list. */
function wordsOf(lines: readonly string[]): readonly Block[] {
  const parts: string[][] = [];
  for (const line of lines) {
    if (parts.length === 0 || ITEM.test(line)) parts.push([line]);
    else parts.at(-1)!.push(line);
  }
  return parts.map((part) => {
    const text = part.map((line) => line.trim()).join(" ");
    const [lead, mark] = ITEM.exec(text) ?? [];
    return lead === undefined || mark === undefined
      ? { kind: "paragraph", text }
      : { kind: "item", mark, text: text.slice(lead.length) };
  });
}

const ITEM = /^ *(-|\d+\.) +/;

function tableOf(lines: readonly string[]): Block {
  const [header = [], , ...rows] = lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
  return { kind: "table", header, rows };
}

function undent(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents)));
}
