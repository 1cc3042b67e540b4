import { getAsset } from "node:sea";
import type { Topic } from "../../src/cli/help/front-page.ts";

/** In place of the one that reads a file of the package. */
export function readTopic(topic: Topic): string {
  return getAsset(`help/${topic}.md`, "utf8");
}
