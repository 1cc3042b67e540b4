import { expect, it } from "vitest";
import { PrintSpool } from "../../src/ledger/print-table.ts";
import { makeDirectory } from "../support/temp-files.ts";

it.each([10, 50, 60_010])("%i prints come back in order, each with its number", async (count) => {
  for (const hashed of [[], [["num_commande"]]]) {
    const spool = await PrintSpool.create(await makeDirectory(), hashed);
    for (let at = 0; at < count; at++)
      await spool.add((target, to) => {
        target.fill(at % 251, to, to + spool.width);
        target.writeUInt32LE(at, to);
      });
    let next = 0;
    let wrong = 0;
    await spool.scan((bytes, at, number) => {
      const isRight = bytes.readUInt32LE(at) === next && bytes[at + spool.width - 1] === next % 251;
      if (!isRight || number !== next) wrong += 1;
      next += 1;
    });
    expect([next, wrong, spool.count]).toEqual([count, 0, count]);
    await spool.remove();
  }
});
