import { createDraw } from "../chaos/random.ts";
import { workbookOf } from "../support/workbook.ts";
import { DECLARED, drawOrders, leaveOut, type OrderRow, writeOrders } from "./orders.ts";
import { pushOf } from "./person.ts";
import type { Case, End, World } from "./world.ts";

const CREATES = { rows: 8, creates: 100, repeats: 0, bad: 0, refused: 0 };
const FILE = "orders.csv";

/** What is right today and easily lost: each stays as it is, whatever becomes of the rest. */
export function namedScenarios(): Case[] {
  const week = drawOrders(createDraw(1), CREATES);
  const withUpdates = week.map((row, at) => (at % 2 === 0 ? { ...row, cle: `C${at}` } : row));
  const push = (world: World, rows: readonly OrderRow[], options: readonly string[] = []): Promise<End> => {
    world.write(FILE, writeOrders(rows, "csv"));
    return world.run(pushOf([FILE], [...DECLARED, ...options]));
  };
  const scenario = (name: string, play: Case["play"]): Case => ({
    name: `named/${name}`,
    isByProcess: true,
    play,
  });
  return [
    scenario("creates with other columns than last week's are asked about", async (world) => {
      await push(world, week);
      await push(
        world,
        week.map((row) => ({ ...row, date_closed: "14/03/2025" })),
      );
      await push(world, leaveOut("num_invoice", week));
    }),
    scenario("the updates of content pushed before are sent", async (world) => {
      await push(world, withUpdates);
      await push(world, withUpdates);
    }),
    scenario("another query is another table", async (world) => {
      await push(world, week, ["--query", "annee=2025"]);
      await push(world, week, ["--query", "annee=2026"]);
      await push(world, week, ["--query", "annee=2025"]);
    }),
    scenario("a key column that is gone stops", async (world) => {
      await push(world, withUpdates);
      await push(world, leaveOut("cle", withUpdates));
    }),
    scenario("numbers of JSON under a decimal comma", async (world) => {
      world.write(
        "orders.json",
        '[{"cle":"A","actual_billable_amount":1250.5},{"cle":"B","actual_billable_amount":7.25e2}]',
      );
      await world.run(pushOf(["orders.json"], ["--decimal", ","]));
    }),
    scenario("numbers of a workbook under a decimal comma", async (world) => {
      world.write("orders.xlsx", amounts("1250.5", "19.989999999999998", "7.25E2"));
      await world.run(pushOf(["orders.xlsx"], ["--decimal", ","]));
    }),
    scenario("19.99 in a workbook", async (world) => {
      world.write("orders.xlsx", amounts("19.99", "19.989999999999998", "1.9990000000000002E1"));
      await world.run(pushOf(["orders.xlsx"], []));
    }),
    scenario("a grown file creates what is new", async (world) => {
      await push(world, week);
      await push(world, [...week, ...drawOrders(createDraw(2), { ...CREATES, rows: 3 }, 150_000)]);
    }),
    scenario("the same creates in another format are not created again", async (world) => {
      await push(world, week);
      world.write("orders.xlsx", writeOrders(week, "xlsx"));
      await world.run(pushOf(["orders.xlsx"], DECLARED));
    }),
    scenario("the config that init wrote, and the next nights", async (world) => {
      const night = (...paid: readonly string[]): string =>
        `Commande;Réglé;Ville\n${paid.map((amount, at) => `${551_001 + at};${amount};Nîmes\n`).join("")}`;
      world.write(FILE, night("12", "30", "7"));
      await world.run(["init", FILE, "--table", "commandes", "--yes"]);
      await world.run(pushOf([FILE], []));
      for (const paid of ["1 250,00", "-1 068,94", "12.00-"]) {
        world.write(FILE, night("12", "30", "7", paid));
        await world.run(pushOf([FILE], []));
      }
    }),
    scenario("check, quiet and people", async (world) => {
      world.write(FILE, writeOrders(withUpdates, "csv"));
      await world.run(["check", FILE, "--table", "commandes", ...DECLARED]);
      await world.run([FILE, "--table", "commandes", "--concurrency", "1", "--quiet", ...DECLARED]);
      await world.run([FILE, "--table", "commandes", "--concurrency", "1", ...DECLARED]);
      await world.run(["runs"]);
    }),
  ];
}

/** A workbook of updates whose amounts are these stored numbers. */
function amounts(...numbers: readonly string[]): Buffer {
  const text = (place: string, value: string): string =>
    `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const rows = numbers.map(
    (number, at) =>
      `<row r="${at + 2}">${text(`A${at + 2}`, `C${at}`)}<c r="B${at + 2}"><v>${number}</v></c></row>`,
  );
  const header = `<row r="1">${text("A1", "cle")}${text("B1", "actual_billable_amount")}</row>`;
  return workbookOf({ sheets: [{ rows: `${header}${rows.join("")}` }] });
}
