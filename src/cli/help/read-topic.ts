import { readFileSync } from "node:fs";
import { cutTopics } from "./cut-topics.ts";
import type { Topic } from "./topics.ts";

/** The Markdown of a topic: what the build has cut out of README or, without a build, README itself. */
export function readTopic(topic: Topic): string {
  return (readBuilt() ?? cutTopics(readFileSync(new URL("../../../README.md", import.meta.url), "utf8")))[
    topic
  ];
}

function readBuilt(): Readonly<Record<Topic, string>> | undefined {
  try {
    // Relative to dist/cli, where the bundle is.
    return JSON.parse(readFileSync(new URL("../topics.json", import.meta.url), "utf8")) as Record<
      Topic,
      string
    >;
  } catch {
    return undefined;
  }
}
