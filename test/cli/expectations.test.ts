import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeDirectory } from "../support/temp-files.ts";

const ORDERS = "cle,num_commande,paid_amount,note\nA1,1,1000.10,x\nA2,2,-0.30,y\nA3,3,,z\n";

async function push(content: string, ...argv: readonly string[]) {
  const world = await openWorld();
  const file = join(await makeDirectory(), "orders.csv");
  await writeFile(file, content);
  return {
    ...(await world.push([file, "--quiet", "--delimiter", ",", "--decimal", ".", ...argv])),
    held: world.numbers(),
  };
}

describe("what the user expects of a file", () => {
  it.each([
    ["--expect-rows", "3"],
    ["--expect-rows", "1..3"],
    ["--expect-rows", "3.."],
    ["--expect-rows", "..3"],
    ["--expect-sum", "paid_amount=999.8"],
    ["--expect-sum", "paid_amount=+999.800"],
  ])("lets a file pass that is as %s %s says", async (...argv) => {
    expect(await push(ORDERS, ...argv)).toMatchObject({ code: 0, stderr: "", held: ["1", "2", "3"] });
  });

  it.each([
    ["--expect-rows", "4", "3 records, and --expect-rows is 4"],
    ["--expect-rows", "4..", "3 records, and --expect-rows is 4.."],
    ["--expect-rows", "0..2", "3 records, and --expect-rows is ..2"],
    ["--expect-sum", "paid_amount=999.81", "is 999.80 in 2 amounts, 0.01 less than --expect-sum 999.81"],
    ["--expect-sum", "paid_amount=-1", "is 999.80 in 2 amounts, 1000.80 more than --expect-sum -1"],
    [
      "--expect-sum",
      "amount=1",
      "no column goes to amount, which --expect-sum names; its amounts are paid_amount",
    ],
  ])("stops a file that is not as %s %s says", async (option, value, text) => {
    const { code, stderr, held } = await push(ORDERS, option, value);
    expect(code).toBe(3);
    expect(stderr).toContain(text);
    expect(stderr).toContain(`correct ${option}`);
    expect(held).toEqual([]);
  });

  it.each([
    ["--expect-rows", "x"],
    ["--expect-rows", ".."],
    ["--expect-rows", "5..1"],
    ["--expect-rows", "1,000"],
    ["--expect-sum", "paid_amount"],
    ["--expect-sum", "paid_amount=12,50"],
    ["--expect-sum", "note=1"],
  ])("is a wrong usage as %s %s", async (...argv) => {
    expect((await push(ORDERS, ...argv)).code).toBe(2);
  });

  it("counts rows that give a record, without invalid rows and totals", async () => {
    const content = `${ORDERS}A4,x,50.00,w\n,Total,,\n`;
    const sums = ["--on-invalid", "skip", "--expect-sum", "paid_amount=999.80", "--expect-rows", "3"];
    expect(await push(content, ...sums)).toMatchObject({ held: ["1", "2", "3"] });
    const total = "cle,libelle,paid_amount\nA1,un,1.25\nA2,deux,2.50\n,Total,3.75\n";
    const { code } = await push(
      total,
      "--other-columns",
      "send",
      "--totals",
      "skip",
      "--expect-sum",
      "paid_amount=3.75",
    );
    expect(code).toBe(0);
  });

  it("is exact beyond what floating point holds", async () => {
    const content = `cle,paid_amount\n${"A,0.1\n".repeat(10)}B,90071992547409930.01\n`;
    expect((await push(content, "--expect-sum", "paid_amount=90071992547409931.01")).code).toBe(0);
    expect((await push(content, "--expect-sum", "paid_amount=90071992547409931.02")).code).toBe(3);
  });

  it("applies to check as to push, and includes the earlier rows of a key", async () => {
    const { code } = await push(
      "cle,paid_amount\nA,1\nA,2\n",
      "--on-repeat",
      "last",
      "--expect-rows",
      "2",
      "--expect-sum",
      "paid_amount=3",
    );
    expect(code).toBe(0);
    const world = await openWorld();
    const file = join(await makeDirectory(), "orders.csv");
    await writeFile(file, ORDERS);
    expect((await world.command(["check", file, "--other-columns", "send", "--expect-rows", "4"])).code).toBe(
      3,
    );
  });
});
