/** A topic for a terminal: its Markdown as it is, except that headings lose their `#` and code its fences. */
export function topicText(markdown: string): string {
  let isCode = false;
  const lines: string[] = [];
  for (const line of markdown.trimEnd().split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    else if (isCode) lines.push(`    ${line}`.trimEnd());
    else lines.push(line.replace(/^#+ /, ""));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** The item of the topic `exit-codes` that begins with this code; `undefined` if there is none. */
export function exitCodePart(markdown: string, code: string): string | undefined {
  const items = markdown.split(/\n\n/).flatMap((part) => part.split(/^- /m));
  const found = items.find((item) => /^([\d, ]+): /.exec(item)?.[1]!.split(", ").includes(code));
  return found === undefined ? undefined : topicText(found.replaceAll(/^ {2}/gm, ""));
}
