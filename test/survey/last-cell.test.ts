import { describe, expect, it } from "vitest";
import { whyCut } from "../../src/survey/last-cell.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeFile } from "../support/temp-files.ts";

const AMOUNTS = ["1250,00", "980,50"];
const DATES = ["12/07/2016", "13/07/2016"];
const CODES = ["701001", "701002"];
const STATES = ["Payé", "Payé", "Ouvert", "Ouvert"];
const FULL = Array.from({ length: 20 }, (_, at) => `nom ${at}`);

describe("a last cell without a line end", () => {
  it.each([
    ["12", AMOUNTS, "fewer decimals"],
    ["12,", AMOUNTS, "fewer decimals"],
    ["12,5", AMOUNTS, "fewer decimals"],
    ["15/07/20", DATES, "shorter year"],
    ["15/07/201", DATES, "is no date"],
    ["15/07/", DATES, "is no date"],
    ["70", CODES, "shorter than all others"],
    ["Pay", STATES, 'the beginning of "Payé"'],
    ["", FULL, "is empty"],
  ])("%j is unlike its column", (last, column, why) => {
    expect(whyCut(last, column)).toContain(why);
  });

  it.each([
    ["12,50", AMOUNTS],
    ["15/07/2016", DATES],
    ["701003", CODES],
    ["Ouvert", STATES],
    ["Annulé", STATES],
    ["12", ["7", "1250"]],
    ["12", ["7,5"]],
    ["", ["a", "b", ""]],
    ["Durand", ["Dupont", "Martin"]],
  ])("%j is like %j", (last, column) => {
    expect(whyCut(last, column)).toBeUndefined();
  });
});

describe("a file that was cut in its last cell", () => {
  const text = "cle;date_closed;paid_amount\nA1;12/07/2016;1250,00\nA2;13/07/2016;980,50\nA3;14/07/2016;12";

  it("stops, unless its last cell is complete, quoted or followed by a line end, or --whole says so", async () => {
    const sandbox = await openSandbox();
    const stopped = await pushTo(sandbox, [await makeFile("a.csv", text)]);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain(
      'a.csv:4: the file may have been cut: it ends without a line end, and its last cell "12" has fewer decimals',
    );
    expect(stopped.stderr).toContain("--whole if it is complete");
    expect(sandbox.requests().requests).toBe(0);
    for (const whole of [`${text},75`, `${text}\n`, `${text}\r\n`, text.replace(/12$/, '"12"')])
      expect((await pushTo(sandbox, [await makeFile("b.csv", whole)])).code).toBe(0);
    expect((await pushTo(sandbox, [await makeFile("c.csv", text), "--whole"])).code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(3);
  });
});

describe("a file whose rows give nothing", () => {
  it.each([
    ["a header with two declared names", "cle;date_billed\n", "0 rows", 0],
    ["blank rows and keys alone", "cle;date_billed\n;\nA1;\n", "no row has anything to send", 3],
  ])("%s", async (_, text, told, exit) => {
    const sandbox = await openSandbox();
    const argv = [await makeFile("a.csv", text), "--other-columns", "send"];
    const { code, stderr } = await pushTo(sandbox, argv);
    expect(code).toBe(exit);
    expect(stderr).toContain(told);
    expect(sandbox.requests().requests).toBe(0);
  });
});

describe("notes that matter under --quiet", () => {
  it.each([
    ["dates in text", "a.csv", "cle,note\nA,12/05/2016\nB,13/05/2016\n", "all values of note read as dates"],
    ["an apostrophe", "a.csv", "cle,note\nA,'+49 30 11\nB,'+49 30 12\n", "a spreadsheet puts the apostrophe"],
    ["a formula", "a.csv", 'cle,note\nA,="007"\nB,x\n', "spreadsheets keep numbers this way"],
    ["text decoded twice", "a.csv", "cle,note\nA,MÃ©dard\nB,x\n", "text decoded twice"],
    ["a next page", "a.json", '{"next":"/2","data":[{"cle":"A","note":"x"}]}', "one page of an answer"],
    ["more records", "a.json", '{"total":2,"data":[{"cle":"A","note":"x"}]}', "counts 2 records and holds 1"],
  ])("%s", async (_, name, text, told) => {
    const sandbox = await openSandbox();
    const argv = [await makeFile(name, text), "--type", "note=text", "--quiet"];
    const { code, stderr } = await pushTo(sandbox, argv);
    expect(code).toBe(0);
    expect(stderr).toContain(`${name}: note: `);
    expect(stderr).toContain(told);
  });

  it.each(["12/05/2016", "'+49 30 11", '="007"'])(
    "are silenced for a column that is text!: %s",
    async (cell) => {
      const file = await makeFile("a.csv", `cle,note\nA,${cell}\n`);
      const argv = [file, "--delimiter", "comma", "--type", "note=text!", "--quiet"];
      expect(await pushTo(await openSandbox(), argv)).toMatchObject({ code: 0, stderr: "" });
    },
  );
});
