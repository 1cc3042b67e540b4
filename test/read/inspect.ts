import { type Inspection, inspectSource } from "../../src/read/inspect-source.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { openSource } from "../../src/read/source/open-source.ts";
import type { Source } from "../../src/read/source/source.ts";
import { sourceOf } from "./chunks.ts";

/** Opens a fixture, and closes it once it was used. */
export async function useFixture<T>(name: string, use: (source: Source) => Promise<T>): Promise<T> {
  const context = { stdin: async function* () {}, spoolDirectory: "." };
  const source = await openSource(`fixtures/csv/${name}`, context);
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/** Inspects a fixture. */
export function inspectFile(name: string, options: ReadOptions = {}): Promise<Inspection> {
  return useFixture(name, (source) => inspectSource(source, options));
}

/** Inspects content in one chunk. */
export async function inspectText(text: string | Buffer, options: ReadOptions = {}): Promise<Inspection> {
  return inspectSource(sourceOf(text), options);
}
