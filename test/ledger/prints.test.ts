import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { murmur3 } from "../../src/ledger/murmur3.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const printsIn = (text: string): string[] => text.match(/.{16}/g) ?? [];

describe("the prints of records", () => {
  it("come from MurmurHash3 as its author checks it: 256 keys under 256 seeds, and the hash of all hashes", () => {
    const hashes = new DataView(new ArrayBuffer(256 * 16));
    const key = new DataView(new ArrayBuffer(256));
    for (let length = 0; length < 256; length++) {
      key.setUint8(length, length);
      murmur3(key, 0, length, hashes, length * 16, 256 - length);
    }
    const last = new DataView(new ArrayBuffer(16));
    murmur3(hashes, 0, hashes.byteLength, last, 0);
    expect(last.getUint32(0, true).toString(16)).toBe("b3ece62a");
  });

  it("stand on disk for the records of each request before it comes, in their order", async () => {
    const home = makeStateHome();
    const runs = join(home, "rec-push", "runs");
    const seen: { announced: readonly string[]; sent: readonly string[] }[] = [];
    const nameOf = (record: object): string => JSON.stringify(record);
    const server = createServer((request, response) => void answer(request, response));
    async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
      let body = "";
      for await (const piece of request) body += String(piece);
      const [run = ""] = await readdir(runs);
      const lines = (await readFile(join(runs, run, "journal"), "utf8")).trimEnd().split("\n");
      const { prints = "" } = JSON.parse(lines.at(-1)!.slice(9)) as { prints?: string };
      seen.push({ announced: printsIn(prints), sent: (JSON.parse(body) as readonly object[]).map(nameOf) });
      response.end('{"msg":"Update Items OK."}');
    }
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const file = await makeFile(
      "orders.csv",
      `num_commande;date_billed\n${Array.from({ length: 20 }, (_, at) => `${at};2024-01-${at + 10}\n`).join("")}`,
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { XDG_STATE_HOME: home, REC_PUSH_URL: url, REC_PUSH_TOKEN: createHash("md5").digest("hex") };
    const argv = [file, "-t", "commandes", "--batch-size", "7", "--concurrency", "1"];
    expect(await runMain(argv, { env })).toMatchObject({ code: 0 });
    expect(seen.flatMap(({ sent }) => sent)).toHaveLength(20);
    const printOf = new Map<string, string>();
    for (const { announced, sent } of seen) {
      expect(announced).toHaveLength(sent.length);
      for (const [at, record] of sent.entries()) printOf.set(record, announced[at]!);
    }
    expect(new Set(printOf.values()).size).toBe(20);
  });
});
