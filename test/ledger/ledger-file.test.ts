import { expect, it } from "vitest";
import { PRINT_BYTES } from "../../src/ledger/comparison-form.ts";
import { LedgerFile, writePrints } from "../../src/ledger/ledger-file.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** More than are read at once. */
const MANY = 30_000;

it.each([
  [0, 0, 1],
  [3, 0, 1],
  [0, 3, 1],
  [MANY, 2, 1],
  [2, MANY, 1],
  [MANY, MANY, 2],
  [MANY, 0, 2],
])(
  "a ledger file gives back %i certain and %i doubtful prints (%i in each)",
  async (certain, doubtful, prints) => {
    const directory = await makeDirectory();
    const width = prints * PRINT_BYTES;
    const facts = {
      kind: "created" as const,
      run: "run",
      startedAt: "2026-01-01T00:00:00.000Z",
      file: "orders.csv",
      dbVersion: null,
      runKey: null,
      leavesRows: false,
      shape: "0",
      certain,
      doubtful,
      ...(prints === 2 ? { identity: ["num_commande"] } : {}),
    };
    const named = await writePrints(directory, "run", facts, async (put) => {
      for (let number = 0; number < certain + doubtful; number++) put(Buffer.alloc(width, `${number}.`), 0);
    });
    const file = new LedgerFile(directory, "run", named);
    let number = 0;
    const wrong: number[] = [];
    await file.scan((bytes, at, isDoubtful) => {
      const isRight = bytes.subarray(at, at + width).equals(Buffer.alloc(width, `${number}.`));
      if (!isRight || isDoubtful !== number >= certain) wrong.push(number);
      number += 1;
    });
    expect(wrong).toEqual([]);
    expect(number).toBe(certain + doubtful);
  },
);
