import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { fingerprintsOf } from "../../src/journal/fingerprints.ts";
import { murmur3 } from "../../src/journal/murmur3.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const printsIn = (text: string): string[] => text.match(/.{16}/g) ?? [];
const fingerprints = (jsons: readonly string[]): string =>
  fingerprintsOf(
    jsons.map((json) => ({ bytes: Buffer.byteLength(json) })),
    Buffer.from(jsons.join(",")),
  );
const printOf = (json: string): string => fingerprints([json]);

describe("the fingerprints of records", () => {
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

  it("are those of each record by itself, whatever stands beside it, and differ where the records do", () => {
    const jsons = fc.array(
      fc.string({ unit: "binary" }).map((text) => JSON.stringify({ a: text.toWellFormed() })),
    );
    fc.assert(
      fc.property(jsons, (texts) => {
        const prints = printsIn(fingerprints(texts));
        expect(prints).toEqual(texts.map(printOf));
        expect(new Set(prints).size).toBe(new Set(texts).size);
      }),
    );
  });

  it("stand on disk for the records of each request before it comes, in their order", async () => {
    const home = makeStateHome();
    const runs = join(home, "rec-push", "runs");
    const seen: { announced: readonly string[]; sent: readonly string[] }[] = [];
    const server = createServer((request, response) => void answer(request, response));
    async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
      let body = "";
      for await (const piece of request) body += String(piece);
      const [run = ""] = await readdir(runs);
      const lines = (await readFile(join(runs, run, "journal"), "utf8")).trimEnd().split("\n");
      const { fingerprints = "" } = JSON.parse(lines.at(-1)!.slice(9)) as { fingerprints?: string };
      const records = JSON.parse(body) as readonly object[];
      seen.push({
        announced: printsIn(fingerprints),
        sent: records.map((one) => printOf(JSON.stringify(one))),
      });
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
    for (const { announced, sent } of seen) expect(announced).toEqual(sent);
  });
});
