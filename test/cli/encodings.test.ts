import { appendFileSync, renameSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadIconv } from "../../src/read/text/decode.ts";
import { ChaosService } from "../chaos/chaos-service.ts";
import { createdOf } from "../chaos/judge-world.ts";
import { shareOf } from "../support/draws.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { edit, holds, nothingSent, scenario, write } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

const encode = (text: string, encoding: string): Buffer => loadIconv().encode(text, encoding);

const ORDERS = "cle;libelle\nA1;Société générale\nA2;Qualité supérieure\nA3;Été à la mer\n";
const HELD = ORDERS.split("\n")
  .slice(1, -1)
  .map((line) => line.split(";"))
  .map(([cle = "", libelle = ""]) => ({ cle, libelle }));

describe("text in a code page", () => {
  scenario(
    "is sent as it was written in windows-1252, and the option is printed",
    { "a.csv.gz": gzipSync(encode(ORDERS, "windows-1252")) },
    [["push a.csv.gz", 0, "--encoding windows-1252"]],
    HELD,
  );
  scenario(
    "sends nothing in cp850 before the encoding is named as it is printed",
    { "a.csv": encode(ORDERS, "cp850") },
    [["push a.csv", 3, /^ {2}--encoding cp850 or /m], nothingSent, ["push a.csv --encoding cp850", 0]],
    HELD,
  );
  scenario(
    "is refused where a byte order mark says otherwise, naming the option that counts before the config",
    {
      "a.csv": `\u{feff}${ORDERS}`,
    },
    [
      [
        "check a.csv -t commandes --encoding windows-1252",
        3,
        "says utf-8, --encoding or the config says windows-1252\n  --encoding utf-8,",
      ],
      write("rec-push.config.json", '{"tables":{"commandes":{"encoding":"windows-1252"}}}'),
      [
        "check a.csv -t commandes",
        3,
        "a byte order mark says utf-8, --encoding or the config says windows-1252",
        "--encoding utf-8, which counts before the config",
      ],
      ["check a.csv -t commandes --encoding utf-8", 0],
    ],
  );
  it("stops where the encoding is not certain, and each option that it prints settles it", async () => {
    const file = await makeFile("a.csv", encode("cle;libelle\nA1;ŁÓDŹ\n", "windows-1250"));
    const { code, stderr } = await runMain(["check", file]);
    expect(code).toBe(3);
    const options = [...stderr.matchAll(/--encoding (["']?)([\w-]+!?)\1(?= or |;)/g)].map(
      ([, , name]) => name!,
    );
    expect(options).toHaveLength(4);
    for (const option of options) {
      const { stdout } = await runMain(["check", file, "--encoding", option, "--records", "-"]);
      expect(stderr).toContain(`A1;${(JSON.parse(stdout) as { libelle: string }).libelle}`);
    }
  });
});

describe("--encoding windows-1252 for a file in UTF-8", () => {
  scenario("sends nothing, and shows the line in both", { "a.csv": ORDERS }, [
    ["push a.csv --encoding windows-1252", 3, "windows-1252: A1;SociÃ©tÃ©", "utf-8:        A1;Société"],
    nothingSent,
  ]);
  scenario(
    "with ! is followed, and stays in the command for mended rejects and in the config of init",
    { "a.csv": "cle;libelle;date_billed\nA1;Thé;2016-07-05\nA2;Café;x\n" },
    [
      ["push a.csv --encoding 'windows-1252!' --on-invalid skip", 4, /--encoding '?windows-1252!/],
      edit("a.csv", ";x", ";2016-07-05"),
      ["init a.csv --encoding 'windows-1252!'", 0],
      holds("rec-push.config.json", '"encoding": "windows-1252!"'),
      ["check a.csv -t commandes --records -", 0, "CafÃ©"],
    ],
    [{ cle: "A1", libelle: "ThÃ©", date_billed: "2016-07-05" }],
  );
});

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
