import { getAsset } from "node:sea";

/** In place of the one that reads a file of the package. */
export function readTopic(topic: string): string {
  return getAsset(`help/${topic}.md`, "utf8");
}
