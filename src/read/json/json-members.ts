/** One member of a JSON object as the text has it: its name undone, both sides as source. */
export interface JsonMember {
  readonly name: string;
  readonly source: string;
}

/** Cuts the text of one valid JSON object into its members, in order; line ends between tokens are left out. */
export function splitMembers(object: string): JsonMember[] {
  // A line end is never inside a JSON string (RFC 8259 section 7), so what indents a line can go.
  const text = object.trim().replaceAll(/[\r\n]+[ \t]*/g, "");
  const members: JsonMember[] = [];
  let depth = 0;
  let from = 1;
  let nameEnd = -1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      if (depth === 1 && nameEnd === -1) nameEnd = at + 1;
    } else if (character === "{" || character === "[") {
      depth += 1;
    } else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) add(at);
    } else if (character === "," && depth === 1) {
      add(at);
      from = at + 1;
      nameEnd = -1;
    }
  }
  return members;

  function add(end: number): void {
    if (nameEnd === -1) return;
    const name = JSON.parse(text.slice(from, nameEnd)) as string;
    members.push({ name, source: text.slice(from, end).trim() });
  }
}

function endOfString(text: string, open: number): number {
  let at = open + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
