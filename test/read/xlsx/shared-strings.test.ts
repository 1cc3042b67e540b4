import { expect, it } from "vitest";
import { SharedStrings } from "../../../src/read/xlsx/shared-strings.ts";
import { makeDirectory } from "../../support/temp-files.ts";

/** Together more than the 32 MiB that stay in memory; some are empty, some longer than a page. */
const TEXTS = 12_000;

function textOf(index: number): string {
  if (index % 97 === 0) return "";
  const length = index % 2000 === 1999 ? 70_000 + (index % 1000) : 3000 + ((index * 7919) % 200);
  return `"${"x".repeat(length)}${index}"`;
}

it("gives each text as it came, in any order, though not all stay in memory", async () => {
  const strings = new SharedStrings(await makeDirectory());
  for (let index = 0; index < TEXTS; index++) strings.add(Buffer.from(textOf(index)));
  strings.seal();
  let other = 0;
  for (let step = 0; step < 2 * TEXTS; step++) {
    // Indices in order alternate with indices far apart.
    const index = step % 2 === 0 ? step / 2 : (step * 7919) % TEXTS;
    if (strings.find(index).toString("latin1") !== textOf(index)) other++;
  }
  await strings.close();
  expect(other).toBe(0);
});
