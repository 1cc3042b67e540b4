import { gzipSync } from "node:zlib";
import { expect, describe, it } from "vitest";
import { loadIconv } from "../../src/read/text/decode.ts";
import { runMain } from "../support/run-main.ts";
import { edit, holds, nothingSent, scenario, write } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

const encode = (text: string, encoding: string): Buffer => loadIconv().encode(text, encoding);

const ORDERS = "cle;libelle\nA1;Société générale\nA2;Qualité supérieure\nA3;Été à la mer\n";
const HELD = ORDERS.split("\n")
  .slice(1, -1)
  .map((line) => line.split(";"))
  .map(([cle = "", libelle = ""]) => ({ cle, libelle }));
const whole = (bytes: Buffer): Buffer => bytes;

describe("text in a code page", () => {
  for (const [how, pack] of [
    ["from a file", whole],
    ["packed", gzipSync],
  ] as const) {
    scenario(
      `is sent as it was written in windows-1252 ${how}, and the option is printed`,
      { "a.csv": pack(encode(ORDERS, "windows-1252")) },
      [["push a.csv", 0, "--encoding windows-1252"]],
      HELD,
    );
    scenario(
      `sends nothing in cp850 ${how} before the encoding is named as it is printed`,
      { "a.csv": pack(encode(ORDERS, "cp850")) },
      [["push a.csv", 3, /^ {2}--encoding cp850 or /m], nothingSent, ["push a.csv --encoding cp850", 0]],
      HELD,
    );
    it(`is read from standard input ${how}`, async () => {
      const stdin = pack(encode(ORDERS, "cp850"));
      const { stdout } = await runMain(["check", "-", "--records", "-", "--encoding", "cp850"], { stdin });
      expect(stdout).toBe(HELD.map((record) => `${JSON.stringify(record)}\n`).join(""));
    });
  }
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
