import { getAsset } from "node:sea";

/** In place of the one that reads package.json. */
export function readVersion(): string {
  return (JSON.parse(getAsset("package.json", "utf8")) as { version: string }).version;
}
