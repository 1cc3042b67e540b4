import { type Inspection, inspectSource } from "../../src/read/inspect-source.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { openSource } from "../../src/read/source/open-source.ts";
import { sourceOf } from "./chunks.ts";

/** Inspects a fixture. */
export async function inspectFile(name: string, options: ReadOptions = {}): Promise<Inspection> {
  const context = { stdin: async function* () {}, spoolDirectory: "." };
  const source = await openSource(`fixtures/csv/${name}`, context);
  try {
    return await inspectSource(source, options);
  } finally {
    await source.close();
  }
}

/** Inspects content in one chunk. */
export async function inspectText(text: string | Buffer, options: ReadOptions = {}): Promise<Inspection> {
  return inspectSource(sourceOf(text), options);
}
