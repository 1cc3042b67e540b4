import { readFileSync } from "node:fs";

/** The Markdown of a topic. The build copies `src/help` to `dist/help`, so that it is beside both `src/cli` and `dist/cli`. */
export function readTopic(topic: string): string {
  return readFileSync(new URL(`../help/${topic}.md`, import.meta.url), "utf8");
}
