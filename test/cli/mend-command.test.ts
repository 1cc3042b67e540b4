import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { edit, faults, paste, scenario, type Step, typed } from "../support/scenario.ts";
import { BIN } from "../support/run-process.ts";

const run = promisify(execFile);
const MEND = /then push that file[^:]*: rec-push (.*)/;
/** The command that is printed is this one. */
const prints =
  (words: string): Step =>
  ({ last, sandbox }) =>
    expect(MEND.exec(last.stdout)?.[1]).toBe(words.replace("URL", sandbox.url));
const config = (section: object): string => JSON.stringify({ tables: { commandes: section } });

describe("the command that pushes mended rejects", () => {
  const constant = { origine: "l'été à $HOME" };
  scenario(
    "runs as it is printed, in a shell",
    {
      "mes commandes $1.csv": Buffer.from(
        "Export d'été;;;\ncle;num_commande;date_billed;Montant payé;Mémo\nA1;1;13/07/2016;1 437,50;x\nA2;2;31/02/2016;2,5;y\n;55;05/07/2016;3,5;z\n",
        "latin1",
      ),
    },
    [
      faults("refuse=num_commande:55"),
      typed(
        ({ directory }) =>
          `push '${directory}/mes commandes $1.csv' --map "Montant payé=paid_amount" --drop Mémo --type date_billed=date --set "origine=l'été à $HOME" --on-invalid skip --rejects '${directory}/rejets de l"été.csv'`,
        4,
      ),
      faults(),
      async ({ directory }) => {
        const path = join(directory, 'rejets de l"été.csv');
        const text = await readFile(path, "latin1");
        await writeFile(path, text.replace("31/02", "29/02").replace(";55;", ";56;"), "latin1");
      },
      async ({ last, directory, env }) => {
        expect(MEND.exec(last.stdout)![1]).toMatch(/--type date_billed=date:DD\/MM\/YYYY(?!.*=date )/);
        const shell = `'${process.execPath}' '${BIN}' ${MEND.exec(last.stdout)![1]}`;
        await run("sh", ["-c", shell], { cwd: directory, env: { ...process.env, HOME: directory, ...env } });
      },
      ({ held }) =>
        expect(
          held().toSorted((a, b) => Number(a["num_commande"]) - Number(b["num_commande"])),
        ).toMatchObject([
          { num_commande: "1", date_billed: "2016-07-13", paid_amount: "1437.50", ...constant },
          { num_commande: "2", date_billed: "2016-02-29", paid_amount: "2.5", ...constant },
          { num_commande: "56", date_billed: "2016-07-05", paid_amount: "3.5", ...constant },
        ]),
    ],
  );
  scenario(
    "holds no secret, and says which options to give again",
    { "a.csv": "cle,n_amount\nA1,1\nA2,x\n" },
    [
      [
        "push a.csv --on-invalid skip -H 'X-Key: geheimnis-1' --query key=geheimnis-2",
        4,
        "then push that file (and -H, --query as before): rec-push",
        { not: "geheimnis" },
      ],
    ],
  );
  scenario(
    "drops what applied to the whole file only",
    { "a.csv": "x\ncle;n_amount\nA1;1,5\nA2;x\nfin;\n" },
    [
      [
        "push a.csv --on-invalid skip --max-invalid 50% --quiet --skip-lines 1 --skip-footer 1 --retries 2",
        4,
      ],
      prints(
        `a.rejects.csv --retries 2 --other-columns send --table commandes --delimiter semicolon --quote '"' --header-line 2 --skip-lines 1 --skip-footer 0 --decimal ,`,
      ),
    ],
  );
  scenario(
    "overrides a config that applies to the whole file",
    {
      "a.csv": "A1;13/07/2016\nA2;31/02/2016\nfin;\n",
      "rec-push.config.json": config({
        header: false,
        skipFooter: 1,
        onInvalid: "skip",
        map: { 1: "cle", 2: "date_billed" },
        format: "csv",
      }),
    },
    [["push a.csv", 4], edit("a.rejects.csv", "31/02", "29/02"), paste(MEND, 0)],
    [
      { cle: "A1", date_billed: "2016-07-13" },
      { cle: "A2", date_billed: "2016-02-29" },
    ],
  );
  scenario(
    "says after a resume what the run was begun with, from config, command line and identity",
    {
      "a.csv": "cle,num_commande\nA1,1\nA2,x\n",
      "c.json": config({ onInvalid: "skip", atomicBatches: false, header: true, retries: 2 }),
    },
    [
      faults("status=401"),
      ["push a.csv --config c.json --run-key 2026-11", 5],
      faults(),
      ["resume --grace 5s", 4],
      prints(
        `a.rejects.csv --url URL --retries 2 --grace 5s --other-columns send --table commandes --run-key 2026-11 --delimiter comma --quote '"' --header-line 1`,
      ),
      edit("a.rejects.csv", "A2,x", "A2,2"),
      paste(MEND, 0),
    ],
  );
});
