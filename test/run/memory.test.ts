import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { startProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const PRELOAD = fileURLToPath(new URL("../support/note-compiling.mjs", import.meta.url));

it("does not optimise the parser of HTTP, whose optimising takes more than a push does", async () => {
  const sandbox = await openSandbox();
  const noted = join(await makeDirectory(), "compiling");
  const rows = Array.from({ length: 3000 }, (_, at) => `K${at};${551_000 + at}\n`).join("");
  const file = await makeFile("orders.csv", `cle;num_commande\n${rows}`);
  const { ended } = startProcess([file, "--table", "commandes", "--batch-size", "4"], {
    NODE_OPTIONS: `--import ${PRELOAD}`,
    NOTED_COMPILING: noted,
    REC_PUSH_URL: sandbox.url,
    REC_PUSH_TOKEN: sandbox.token,
  });
  expect((await ended).code).toBe(0);
  // Optimised, it takes from 18 MB (Node 22) to 40 MB (Node 20).
  expect(Number(await readFile(noted, "utf8"))).toBeLessThan(16 * 1024 ** 2);
}, 60_000);
