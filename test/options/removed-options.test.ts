import { describe, expect, it } from "vitest";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

/** Names that an option once had, or that somebody who knows other tools may try. */
const REMOVED = [
  ["--no-survey"],
  ["--idempotency-ttl", "1h"],
  ["--retry-creates"],
  ["--resume-first"],
  ["--keep-footer"],
  ["--max-concurrency", "4"],
  ["--no-annotations"],
  ["--on-drift", "stop"],
  ["--accept-drift"],
  ["--same-as", "https://old.example"],
];

async function errorOf(...words: readonly string[]): Promise<readonly [number, string]> {
  const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\n");
  const env = { XDG_STATE_HOME: makeStateHome() };
  const { code, stderr } = await runMain([file, "-t", "commandes", "--sandbox", ...words], { env });
  return [code, stderr];
}

describe("an option that rec-push does not have", () => {
  it.each(REMOVED)("is unknown: %s", async (...words) => {
    const [code, stderr] = await errorOf(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`unknown option '${words[0]}'`)]);
    expect(stderr).toContain("rec-push help push lists the options");
  });

  it("is answered with check if it is --dry-run", async () => {
    const [code, stderr] = await errorOf("--dry-run");
    expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--dry-run'")]);
    expect(stderr).toContain("rec-push check FILE reads everything and sends nothing");
  });
});
