// The smallest program that does what a push does after it has made its records: posts bodies, 32 at once, and counts
// each answer once a line about it is with the operating system.
import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { Pool } from "undici";

/** Of 500 records of the usual input. */
const BODY_BYTES = 74_000;
const AT_ONCE = 32;

const [url = "", bodies = "0", journal = ""] = process.argv.slice(2);
const body = Buffer.alloc(BODY_BYTES, "x");
const pool = new Pool(url, { connections: AT_ONCE });
const file = await open(journal, "w");
let pending: { readonly line: string; readonly resolve: () => void }[] = [];
let isWriting = false;
let begun = 0;

async function write(): Promise<void> {
  isWriting = true;
  while (pending.length > 0) {
    await setImmediate();
    const lines = pending;
    pending = [];
    await file.write(lines.map(({ line }) => line).join(""));
    for (const { resolve } of lines) resolve();
  }
  isWriting = false;
}

function append(entry: object): Promise<void> {
  return new Promise((resolve) => {
    pending.push({ line: `${JSON.stringify(entry)}\n`, resolve });
    if (!isWriting) void write();
  });
}

async function postInTurn(): Promise<void> {
  while (begun < Number(bodies)) {
    begun += 1;
    const batch = begun;
    const { statusCode, body: answer } = await pool.request({
      path: "/api/items/commandes/",
      method: "POST",
      headers: { "content-type": "application/json", access_token: "bench" },
      body,
    });
    const { msg } = (await answer.json()) as { readonly msg: string };
    if (statusCode !== 200) throw new Error(`${statusCode} ${msg}`);
    await append({ batch, status: statusCode, msg });
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, postInTurn));
await pool.close();
await file.close();
