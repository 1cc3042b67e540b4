import { existsSync } from "node:fs";
import { expect } from "vitest";
import { scenario, type Step } from "../support/scenario.ts";
import { linesOfBook, tableIn, unclose } from "../support/table-parts.ts";

const rows = (count: number): string =>
  `num_commande;date_billed\n${Array.from({ length: count }, (_, at) => `${551_001 + at};13/07/2016\n`).join("")}`;
const SAID = "--exports full --identify-by record";
const FILES = { "a.csv": rows(30), "deleted.csv": rows(2) };
/** A run whose process was killed after the run ended and before it was closed: only its journal knows its creates. */
const UNCLOSED: readonly Step[] = [[`push a.csv ${SAID}`, 0], ({ state }) => unclose(state)];

scenario("ledger remove is not blocked by a run that has nothing left to do", FILES, [
  ...UNCLOSED,
  [`ledger remove deleted.csv ${SAID}`, 0, "2 of 2 creates taken out"],
  [`push a.csv ${SAID}`, 0],
  ({ numbers }) => expect(numbers()).toHaveLength(32),
]);

scenario("resume closes a run that has nothing left to do", FILES, [
  ...UNCLOSED,
  async ({ run, command, directoryOf, state }) => {
    expect((await command(["resume", run])).code).toBe(0);
    expect(existsSync(directoryOf(run))).toBe(false);
    expect((await linesOfBook(await tableIn(state))).at(-1)).toContain('"entry":"close"');
  },
]);
