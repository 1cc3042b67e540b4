import { expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

it("a line of a program's version above the header is asked about, with the line of the header first", async () => {
  const file = await makeFile(
    "datev.csv",
    '"EXTF";700;21;"Buchungsstapel";13\n"Umsatz";"S/H";"WKZ";"Konto";"Buchungstext"\n"100,00";"S";"EUR";"1200";"Papier"\n"250,50";"H";"EUR";"4400";"Stifte"\n',
  );
  const asked = await runMain(["check", file], { others: "nothing" });
  expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining("is above the header in line 2") });
  expect(asked.stderr).toContain("--header-line 2 leaves out all lines above it");
  const read = await runMain(["check", file, "--header-line", "2", "--other-columns", "send"], {
    others: "nothing",
  });
  expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining("header in line 2") });
});

it("a delimiter that tears every row except the header is not one, although the header is a line of names", async () => {
  const file = await makeFile(
    "movements.csv",
    'Datum;Účet;Název;Částka;Měna;Částka;Id,\n27.05.2018;"27/1";"Jan";"-1,00";"CZK";"";3228446118\n',
  );
  const asked = await runMain(["check", file], { others: "nothing" });
  expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining('holds "Částka" twice') });
});
