import { readFileSync } from "node:fs";
import type { Topic } from "./help/front-page.ts";

/** The Markdown of a topic. The build copies `src/help` to `dist/help`, so that it is beside both `src/cli` and `dist/cli`. */
export function readTopic(topic: Topic): string {
  return readFileSync(new URL(`../help/${topic}.md`, import.meta.url), "utf8");
}
