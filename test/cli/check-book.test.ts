import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { faults, nothingSent, scenario, type Step } from "../support/scenario.ts";

const csv = (...rows: readonly string[]): string => ["cle;num_commande", ...rows, ""].join("\n");
const FILES = {
  "a.csv": csv("A1;1", ";2", ";3", ";4"),
  "grown.csv": csv("A1;1", ";2", ";3", ";4", ";5", "A2;7"),
  "mixed.csv": csv(";4", ";5", ";6", ";7"),
};
const CHECK = "check -t commandes";
const asked = (what: string): string => `was asked: a push would send ${what}\n`;
/** All paths of the state directory. */
const stateOf = ({ home }: { readonly home: string }): Promise<string[]> =>
  readdir(join(home, "rec-push"), { recursive: true }).catch(() => []);

describe("a check of files for a table whose service is named", () => {
  scenario("says what a push would send, as the book of the table knows it", FILES, [
    ["push a.csv", 0],
    [`${CHECK} a.csv`, 0, asked("1 update (3 were created before)"), "a.csv was already pushed on"],
    [`${CHECK} grown.csv`, 0, asked("2 updates, 1 create (3 were created before)"), "1 is new"],
    [`${CHECK} grown.csv --exports delta`, 0, asked("2 updates, 4 creates")],
  ]);
  scenario("asks what a push would ask", FILES, [
    ["push a.csv", 0],
    [`${CHECK} mixed.csv`, 3, "mixed.csv: 1 of 4 creates is equal to records created before"],
    [`${CHECK} mixed.csv --exports delta`, 0, asked("4 creates")],
  ]);
  scenario("says what an open run has left, and which rows later ones overtook", FILES, [
    faults("status=401"),
    ["push a.csv", 5],
    [`${CHECK} a.csv`, 0, asked("the 4 records that an open run has left")],
    faults(),
    ["push grown.csv --exports delta", 0],
    [`${CHECK} a.csv`, 0, "1 row (line 2) is passed over", asked("the 3 records that an open run has left")],
  ]);
  let before: readonly string[] = [];
  const note: Step = async (world) => void (before = await stateOf(world));
  scenario("changes nothing, and makes no state where there is none", FILES, [
    [`${CHECK} a.csv`, 0, { not: "was asked" }],
    async (world) => expect(await stateOf(world)).toEqual([]),
    nothingSent,
    ["push a.csv", 0],
    note,
    [`${CHECK} grown.csv`, 0],
    async (world) => expect(await stateOf(world)).toEqual(before),
  ]);
  scenario("asks nothing without a table, as any other check", FILES, [
    ["push a.csv", 0],
    ["check a.csv", 0, { not: "was asked" }],
  ]);
});
