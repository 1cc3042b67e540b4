import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { BIN, runProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const run = promisify(execFile);

function commandIn(stdout: string): string {
  return /then push that file[^:]*: (rec-push .*)/.exec(stdout)?.[1] ?? "";
}

describe("the command that pushes mended rejects", () => {
  it("runs as it is printed, in a shell", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:55"] });
    const state = await makeDirectory();
    const directory = await makeDirectory();
    const content =
      "Export d'été;;;\ncle;num_commande;date_billed;Montant payé;Mémo\nA1;1;13/07/2016;1 437,50;x\nA2;2;31/02/2016;2,5;y\n;55;05/07/2016;3,5;z\n";
    const file = join(directory, "mes commandes $1.csv");
    await writeFile(file, Buffer.from(content, "latin1"));
    const path = join(directory, 'rejets de l"été.csv');
    const env = {
      REC_PUSH_URL: sandbox.url,
      REC_PUSH_TOKEN: sandbox.token,
      XDG_STATE_HOME: state,
      HOME: state,
    };
    const options = ["--table", "commandes", "--map", "Montant payé=paid_amount", "--drop", "Mémo"];
    const argv = [file, ...options, "--type", "date_billed=date", "--set", "origine=l'été à $HOME"];
    const first = await runProcess([...argv, "--on-invalid", "skip", "--rejects", path], { env });
    expect([first.code, first.stderr]).toEqual([4, expect.anything()]);
    const command = commandIn(first.stdout);
    expect(command).toContain("--type date_billed=date:DD/MM/YYYY");
    expect(command).not.toContain("--type date_billed=date ");
    await writeFile(
      path,
      (await readFile(path, "latin1")).replace("31/02", "29/02").replace(";55;", ";56;"),
      "latin1",
    );
    const bin = `'${process.execPath}' '${BIN}'`;
    const shell = command.replace(/^rec-push/, bin);
    await run("sh", ["-c", shell], { cwd: directory, env: { ...process.env, ...env } });
    const constant = { origine: "l'été à $HOME" };
    const byNumber = [...heldBy(sandbox)].sort(
      (a, b) => Number(a["num_commande"]) - Number(b["num_commande"]),
    );
    expect(byNumber).toMatchObject([
      { num_commande: "1", date_billed: "2016-07-13", paid_amount: "1437.50", ...constant },
      { num_commande: "2", date_billed: "2016-02-29", paid_amount: "2.5", ...constant },
      { num_commande: "56", date_billed: "2016-07-05", paid_amount: "3.5", ...constant },
    ]);
  });

  it("holds no secret, and says which options to give again", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\nA2,x\n");
    const path = join(await makeDirectory(), "r.csv");
    const { stdout, stderr } = await pushTo(sandbox, [
      file,
      "--on-invalid",
      "skip",
      "--rejects",
      path,
      "-H",
      "X-Key: geheimnis-1",
      "--query",
      "key=geheimnis-2",
    ]);
    expect(stdout).toContain("then push that file (and -H, --query as before): rec-push");
    expect(`${stdout}${stderr}`).not.toContain("geheimnis");
  });

  it("drops what applied to the whole file only", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "x\ncle;n_amount\nA1;1,5\nA2;x\nfin;\n");
    const path = join(await makeDirectory(), "r.csv");
    const argv = [file, "--on-invalid", "skip", "--max-invalid", "50%", "--rejects", path, "--quiet"];
    const pushed = await pushTo(sandbox, [
      ...argv,
      "--skip-lines",
      "1",
      "--skip-footer",
      "1",
      "--retries",
      "2",
    ]);
    const command = commandIn(pushed.stdout);
    expect(command).toBe(
      `rec-push ${path} --table commandes --retries 2 --other-columns send --delimiter semicolon --quote '"' --header-line 2 --skip-lines 1 --skip-footer 0 --decimal ,`,
    );
  });

  it("overrides a config that applies to the whole file", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "A1;13/07/2016\nA2;31/02/2016\nfin;\n");
    const directory = await makeDirectory();
    const section = {
      header: false,
      skipFooter: 1,
      onInvalid: "skip",
      map: { 1: "cle", 2: "date_billed" },
      format: "csv",
    };
    const config = { tables: { commandes: section } };
    await writeFile(join(directory, "rec-push.config.json"), JSON.stringify(config));
    const path = join(directory, "r.csv");
    const { stdout } = await pushTo(sandbox, [file, "--rejects", path], { cwd: directory });
    await writeFile(path, (await readFile(path, "utf8")).replace("31/02", "29/02"));
    const [, ...argv] = commandIn(stdout)
      .split(" ")
      .map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
    expect((await pushTo(sandbox, argv, { cwd: directory })).code).toBe(0);
    expect(heldBy(sandbox)).toEqual([
      { cle: "A1", date_billed: "2016-07-13" },
      { cle: "A2", date_billed: "2016-02-29" },
    ]);
  });

  it("says after a resume what the run was begun with, from config, command line and identity", async () => {
    const { sandbox, push, command } = await openWorld(["status=401"]);
    const file = await makeFile("a.csv", "cle,num_commande\nA1,1\nA2,x\n");
    const section = { onInvalid: "skip", atomicBatches: false, header: true, retries: 2 };
    const config = await makeFile("c.json", JSON.stringify({ tables: { commandes: section } }));
    const begun = await push([file, "--config", config, "--run-key", "2026-11"]);
    expect(begun.code).toBe(5);
    sandbox.setFaults([]);
    const resumed = await command(["resume", "--grace", "5s"]);
    expect(resumed.code).toBe(4);
    const [, path, ...words] = commandIn(resumed.stdout).split(" ");
    expect(words.join(" ")).toBe(
      `--url ${sandbox.url} --retries 2 --other-columns send --grace 5s --table commandes --run-key 2026-11 --delimiter comma --quote '"' --header-line 1`,
    );
    await writeFile(path!, (await readFile(path!, "utf8")).replace("A2,x", "A2,2"));
    const again = await command([path!, ...words.map((word) => word.replaceAll("'", ""))]);
    expect([again.code, again.stderr]).toEqual([0, expect.anything()]);
  });
});
