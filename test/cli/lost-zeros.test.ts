import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const orders = (count: number, zeros: string): string =>
  [
    "num_commande;date_billed",
    ...Array.from({ length: count }, (_, at) => `${zeros}${1001 + at};13/07/2016`),
    "",
  ].join("\n");

it.each([
  ["without an option", []],
  ["with an identity", ["--exports", "full", "--identify-by", "num_commande"]],
])(
  "an export that a spreadsheet cut the leading zeros of creates its new rows only, %s",
  async (_, words) => {
    const { push, numbers } = await openWorld();
    expect((await push([await makeFile("orders.csv", orders(30, "00")), ...words])).code).toBe(0);
    const saved = await push([await makeFile("saved.csv", orders(32, "")), ...words]);
    expect(saved).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("30 of 32 creates were created before"),
    });
    expect(numbers()).toHaveLength(32);
  },
);
