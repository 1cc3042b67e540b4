import { fileURLToPath } from "node:url";

/** A file of the compiled bench. */
export function builtFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** A file of the project, by its path from the root. */
export function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
