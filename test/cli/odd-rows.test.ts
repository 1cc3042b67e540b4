import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeFile } from "../support/temp-files.ts";

const OTHERS = ["--other-columns", "send"];

const BALANCE = "Datum;Text;Betrag\n03.02.2017;Strom;-80,10\n14.02.2017;Lohn;1900,00\n;Neuer Saldo;1819,90\n";
const TOTAL_ON_TOP = "kunde;ort;Betrag\nTotal (2);;70,00\nMeier;Ulm;25,00\nKern;Jena;45,00\n";
const FAILURE =
  '{"cle":"P1","note":"x"}\n{"cle":"P2","note":"y"}\n{"title":"Gone","status":410,"detail":"expired"}\n';
const ACTIONS =
  '{"index":{"_id":"8"}}\n{"num_commande":"810008","paid_amount":7.25}\n{"index":{"_id":"9"}}\n{"num_commande":"810009","paid_amount":8.5}\n';
const DASHES = "cle;nom;ville\nP1;Meier;Ulm\n----;-----;----\nP2;Kern;Jena\n";
/** One row that holds only what the others lack. */
const STRAY =
  "cle;nom;date;montant;note\nA1;Meier;03/02/2017;1,50;\nA2;Kern;14/02/2017;2,50;\nA3;Roth;15/02/2017;3,50;\n;;;;voir annexe B\nA4;Vogt;16/02/2017;4,50;\n";

describe("a row unlike all others", () => {
  it.each([
    ["balance.csv", BALANCE, 4, 'calls itself "Neuer Saldo"', "totals", 2],
    ["top.csv", TOTAL_ON_TOP, 2, 'calls itself "Total (2)"', "totals", 2],
    ["dashes.csv", DASHES, 3, 'a line of signs: "----"', "totals", 2],
    ["failure.ndjson", FAILURE, 3, 'it holds "Gone", "410", "expired"', "sparse", 2],
    ["actions.ndjson", ACTIONS, 1, 'nothing but the object "index"', "sparse", 2],
    ["stray.csv", STRAY, 5, "voir annexe B", "sparse", 4],
  ])("%s stops, and an answer leaves it out", async (name, text, line, told, option, rows) => {
    const sandbox = await openSandbox();
    const file = await makeFile(name, text);
    const stopped = await pushTo(sandbox, [file, ...OTHERS]);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain(told);
    expect(stopped.stderr).toContain(`--${option} skip leaves such rows out`);
    expect(stopped.stderr).toMatch(new RegExp(`${name}:(?:${line}:| 2 x)`));
    expect(sandbox.requests().requests).toBe(0);
    const skipped = await pushTo(sandbox, [file, ...OTHERS, `--${option}`, "skip", "--quiet"]);
    expect(skipped.code).toBe(0);
    // What is left out is said under --quiet too, with the first line.
    expect(skipped.stderr).toMatch(
      new RegExp(String.raw`left out \(--${option} skip\): (?:line|record) ${line} `),
    );
    expect(heldBy(sandbox)).toHaveLength(rows);
  });

  it("is rejected with the others sent, and written to the rejects", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("failure.ndjson", FAILURE);
    const { code, events } = await pushTo(sandbox, [file, ...OTHERS, "--on-invalid", "skip", "--json"]);
    expect(code).toBe(4);
    expect(events().at(-1)).toMatchObject({ read: 3, accepted: 2, rejected: 1 });
    expect(heldBy(sandbox).map(({ cle }) => cle)).toEqual(["P1", "P2"]);
  });

  it("is found behind thousands of plain rows, which are surveyed many at a time", async () => {
    const sandbox = await openSandbox();
    const plain = Array.from({ length: 5000 }, (_, at) => `P${at};2017-02-03;${at}.50;x`).join("\n");
    const file = await makeFile(
      "a.csv",
      `cle;date_closed;paid_amount;note\n${plain}\n;;;voir annexe B, page 3\n`,
    );
    const stopped = await pushTo(sandbox, [file, ...OTHERS]);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain("a.csv:5002: the row");
    expect(sandbox.requests().requests).toBe(0);
  });

  it("is a row if an option says so, but never a total with it", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("failure.ndjson", FAILURE);
    expect((await pushTo(sandbox, [file, ...OTHERS, "--sparse", "keep"])).code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(3);
    const balance = await makeFile("balance.csv", BALANCE);
    expect((await pushTo(sandbox, [balance, ...OTHERS, "--sparse", "keep"])).code).toBe(3);
  });

  it.each([
    [
      "a full row whose name begins as a total",
      "cle;Nom;Date;Prix\nC1;Total Energies;03/02/2017;1,50\nC2;Solde SARL;04/02/2017;2,50\nC3;Meier;15/02/2017;3,50\n",
    ],
    [
      "debit or credit alone",
      "Date;Texte;Debit;Credit\n13/02/2017;a;1,50;\n14/02/2017;b;;2,50\n15/02/2017;c;;3,50\n16/02/2017;d;4,50;\n",
    ],
    [
      "creates among updates",
      "cle;client;paid_amount\nP1;Meier;1,50\nP2;Kern;2,50\nP3;Roth;3,75\n;Vogt;4,50\n",
    ],
    ["a column of stars", "cle;note\nP1;***\nP2;****\nP3;**\n"],
  ])("is not %s", async (_, text) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", text);
    const { code, stderr } = await pushTo(sandbox, [file, ...OTHERS]);
    expect([code, stderr]).toEqual([0, expect.anything()]);
  });
});
