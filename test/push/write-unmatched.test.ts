import { describe, expect, it } from "vitest";
import { nameUnmatched } from "../../src/push/ask-ledger.ts";

describe("the file of creates that match no record created before", () => {
  it.each([
    ["commandes", "/data/orders.csv", "commandes-orders.csv"],
    ["commandes", "-", "commandes-stdin"],
    ["commandes", "orders.csv.zst", "commandes-orders.csv"],
    ["commandes", "orders.json.zip", "commandes-orders.json"],
    ["commandes", "Orders.XLSX", "commandes-Orders.csv"],
    ["con.log", "a.csv", "con_log-a.csv"],
    ["a:b/c", "a.csv", "a_b_c-a.csv"],
  ])("of the table %s and the file %s is named %s", (table, file, name) => {
    expect(nameUnmatched(table, file)).toBe(name);
  });
});
