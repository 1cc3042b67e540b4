import { type Topic, TOPICS } from "./topics.ts";

/** Cuts the topics out of README's text. Throws if a section is missing or empty, which ends the build. */
export function cutTopics(readme: string): Readonly<Record<Topic, string>> {
  const entries = Object.entries(TOPICS).map(([topic, headings]) => [
    topic,
    headings.map((heading) => cutSection(readme, heading)).join("\n"),
  ]);
  return Object.fromEntries(entries) as Record<Topic, string>;
}

/** The text from a heading to the next one of its level or a higher one. */
function cutSection(readme: string, heading: string): string {
  const start = readme.indexOf(`\n${heading}\n`);
  const level = heading.indexOf(" ");
  const rest = readme.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level}} `, "m"));
  const body = (end < 0 ? rest : rest.slice(0, end)).trim();
  if (start < 0 || body === "") throw new Error(`README has no section "${heading}"`);
  return `# ${heading.slice(level + 1)}\n\n${body}\n`;
}
