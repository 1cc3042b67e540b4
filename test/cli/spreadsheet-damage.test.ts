import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "cle;num_commande;libelle\n";

describe("spreadsheet damage", () => {
  it.each(["Ã©cran", "DÃ©jÃ\u00a0 vu", "l\u00e2\u20ac\u2122\u00e9cran", "NÂ°", "Ã‰cran"])(
    "notes text decoded twice: %s",
    async (text) => {
      const file = await makeFile("a.csv", `${HEADER}A1;1;Écran\nA2;2;${text}\nA3;3;${text}\n`);
      const { code, stderr } = await runMain(["check", file]);
      expect(code).toBe(0);
      expect(stderr).toContain(`column "libelle": 2 cells hold "${text}" or the like (the first in line 3)`);
      expect(stderr).toContain("looks like text decoded twice");
    },
  );

  it.each(["Écran à l’été", "Âge, château, SÃO PAULO", "N° 5 €", "pâte", "CÂBLE"])(
    "notes nothing in %s",
    async (text) => {
      const { stderr } = await runMain(["check", await makeFile("a.csv", `${HEADER}A1;1;${text}\n`)]);
      expect(stderr).not.toContain("decoded twice");
    },
  );

  it.each([
    ["num_commande", "1.23457E+15", "a spreadsheet has cut it to an exponent"],
    ["num_commande", "#REF!", "it is an error of a spreadsheet formula"],
    ["date_billed", "42555", ""],
    ["actual_billable_amount", "#N/A", "it is an error of a spreadsheet formula"],
    ["actual_billable_amount", "1.5E+05", "a spreadsheet has cut it to an exponent"],
    ["date_billed", "########", "its column was too narrow"],
    ["cle", "#VALUE!", "it is an error of a spreadsheet formula"],
    ["cle", "5.5E+05", "a spreadsheet has cut it to an exponent"],
  ])("rejects %s %s with its line", async (field, value, reason) => {
    const key = field === "cle" ? "cle;num_commande\n" : `cle;${field}\n`;
    const row = field === "cle" ? `${value};551000\n` : `A1;${value}\n`;
    const { code, stderr } = await runMain(["check", await makeFile("a.csv", key + row)]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/a\.csv:2: column \d/);
    expect(stderr).toContain(`holds "${value}"`);
    expect(stderr).toContain(reason);
  });
});

describe("unpinned", () => {
  const text = Buffer.from("cle;libelle;date_billed\nA1;déjà;13/07/2016\n", "latin1");

  it("is reported with --quiet too, for all but the delimiter", async () => {
    const { code, stdout, stderr } = await runMain(["check", await makeFile("a.csv", text), "--quiet"]);
    expect(code).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toContain("add: --encoding windows-1252 --date-format DD/MM/YYYY\n");
  });

  it("is reported in full without it, and in the summary", async () => {
    const file = await makeFile("a.csv", text);
    const all = "--encoding windows-1252 --delimiter semicolon --date-format DD/MM/YYYY";
    expect((await runMain(["check", file])).stderr).toContain(`add: ${all}\n`);
    const summary = (await runMain(["check", file, "--json"])).events().at(-1);
    expect(summary).toMatchObject({
      unpinned: ["--encoding windows-1252", "--delimiter semicolon", "--date-format DD/MM/YYYY"],
    });
  });

  it("is silent with --quiet where only the delimiter is inferred", async () => {
    const file = await makeFile("a.csv", "cle;libelle\nA1;x\n");
    expect(await runMain(["check", file, "--quiet"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});
