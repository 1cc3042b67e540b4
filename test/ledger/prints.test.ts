import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../support/plain-server.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";
import { runsIn } from "../support/table-parts.ts";

describe("the prints of records", () => {
  it("are in the journal before a request arrives, in order, also where the ledger leaves some of the records out", async () => {
    const { seen, push } = await startWatch(makeStateHome());
    const unasked = await startWatch(makeStateHome());
    const options = ["--exports", "full", "--identify-by", "num_commande"];
    expect(await push(8, options)).toMatchObject({ code: 0 });
    seen.length = 0;
    expect(await push(20, options)).toMatchObject({ code: 0 });
    expect(await unasked.push(20)).toMatchObject({ code: 0 });
    const whole = printsBySent(unasked.seen, 32);
    const asked = [...printsBySent(seen, 32)];
    expect(asked).toHaveLength(12);
    for (const [record, prints] of asked) expect(prints).toBe(whole.get(record));
    expect(new Set(asked.map(([, prints]) => prints.slice(16))).size).toBe(12);
  });
});

/** The prints that the journal had announced when a request arrived, and the request's records. */
interface Announced {
  readonly announced: string;
  readonly sent: readonly string[];
}

/** A service that reads the journal of the latest run at each request, and a function that pushes to it. */
async function startWatch(home: string): Promise<{
  readonly seen: Announced[];
  readonly push: (rows: number, options?: readonly string[]) => ReturnType<typeof runMain>;
}> {
  const runs = (): string => runsIn(join(home, "rec-push"));
  const seen: Announced[] = [];
  const earlier = new Set<string>();
  const { url, close } = await startServer(async (_, body, response) => {
    const run = (await readdir(runs())).find((name) => !earlier.has(name))!;
    const lines = (await readFile(join(runs(), run, "journal"), "utf8")).trimEnd().split("\n");
    const { prints = "" } = JSON.parse(lines.at(-1)!.slice(9)) as { prints?: string };
    const records = JSON.parse(body.toString()) as readonly object[];
    seen.push({ announced: prints, sent: records.map((record) => JSON.stringify(record)) });
    response.end('{"msg":"Update Items OK."}');
  });
  onTestFinished(close);
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: url, REC_PUSH_TOKEN: createHash("md5").digest("hex") };
  return {
    seen,
    async push(rows, options = []) {
      const text = Array.from({ length: rows }, (_, at) => `${at};2024-01-${at + 10}\n`).join("");
      const file = await makeFile("orders.csv", `num_commande;date_billed\n${text}`);
      for (const run of await readdir(runs()).catch(() => [])) earlier.add(run);
      return runMain([file, "-t", "commandes", "--batch-size", "7", "--concurrency", "1", ...options], {
        env,
      });
    },
  };
}

/** The print of each record with its hashes, as this many characters of base64. */
function printsBySent(seen: readonly Announced[], chars: number): Map<string, string> {
  const printOf = new Map<string, string>();
  for (const { announced, sent } of seen) {
    expect(announced).toHaveLength(sent.length * chars);
    for (const [at, record] of sent.entries())
      printOf.set(record, announced.slice(at * chars, (at + 1) * chars));
  }
  return printOf;
}
