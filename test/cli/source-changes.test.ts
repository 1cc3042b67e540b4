import { appendFileSync, renameSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { shareOf } from "../support/draws.ts";
import { ChaosService } from "../chaos/chaos-service.ts";
import { createdOf } from "../chaos/judge-world.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

/** Some megabytes, so that the first records are sent long before the last row is read. */
const ROWS = Array.from(
  { length: 12_000 },
  (_, at) => `${at % 3 === 0 ? "" : `K${at}`},${100_000 + at},${"bon de commande du client ".repeat(6)}.`,
);
const CSV = ["cle,num_commande,libelle", ...ROWS, ""].join("\n");

const CHANGES: Readonly<Record<string, (path: string) => void>> = {
  deleted: unlinkSync,
  truncated: (path) => truncateSync(path, Math.floor(CSV.length / 2)),
  "overwritten in place": (path) => writeFileSync(path, CSV.replaceAll(",1", ",2"), { flag: "r+" }),
  replaced: (path) => {
    writeFileSync(`${path}.new`, CSV.replaceAll(",1", ",2"));
    renameSync(`${path}.new`, path);
  },
  growing: (path) => appendFileSync(path, "K1,999999,neu\n"),
};

/** Pushes a file that changes once the first batch has arrived. */
async function pushWhile(change: (path: string) => void) {
  const path = await makeFile("orders.csv", CSV);
  let isChanged = false;
  const service = await ChaosService.start(() => {
    if (!isChanged) change(path);
    isChanged = true;
    return { applies: true, delayMs: 0, how: "answer", status: 200 };
  });
  onTestFinished(() => service.close());
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: service.url, REC_PUSH_TOKEN: "source-token" };
  const push = () => runMain([path, "-t", "commandes", "--concurrency", "2"], { env });
  return { service, path, push, first: await push() };
}

describe("a source that changes during the run", () => {
  it.each(shareOf(Object.entries(CHANGES), 2))(
    "(%s) gives no row that was not surveyed, and its run ends once it is back",
    async (name, change) => {
      const { service, path, push, first } = await pushWhile(change);
      const surveyed = new Set(ROWS.map((row) => row.split(",")[1]));
      expect(service.applied.filter(({ number }) => !surveyed.has(number))).toEqual([]);
      // An open file stays readable after its name is deleted or replaced.
      const isWhole = name === "deleted" || name === "replaced";
      expect([first.code, service.applied.length === ROWS.length]).toEqual([isWhole ? 0 : 4, isWhole]);
      expect(first.stdout.includes("bring the file back as it was")).toBe(!isWhole);
      writeFileSync(path, CSV);
      expect((await push()).code).toBe(0);
      expect(createdOf(service.applied)).toHaveLength(4000);
      expect(new Set(createdOf(service.applied)).size).toBe(4000);
    },
    120_000,
  );
});
