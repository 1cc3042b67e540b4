import { spawnSync } from "node:child_process";
import { lstat, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { BIN, startProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";
import { expectEnd } from "../support/scenario.ts";

const ROWS = "cle,num_commande\nA1,1\n";

describe("a signal", () => {
  it("that comes after the summary leaves the exit code as it is", async () => {
    const file = await makeFile("a.csv", ROWS);
    const lingers = "process.on('exit',()=>{const t=Date.now();while(Date.now()-t<600);})";
    const { child, waitForStdout, ended } = startProcess([file, "-t", "t", "--sandbox", "--json"], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(lingers)}`,
    });
    await waitForStdout(/"event":"summary"/);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0, signal: null });
  });

  it("that comes right after the summary leaves it the last event", async () => {
    const file = await makeFile("a.csv", ROWS);
    const sandbox = await openSandbox();
    const atSummary =
      "const w=process.stdout.write.bind(process.stdout);" +
      "process.stdout.write=(t,...r)=>{if(String(t).includes('\"summary\"'))process.kill(process.pid,'SIGTERM');return w(t,...r)}";
    const { ended } = startProcess([file, "-t", "t", "--json"], {
      XDG_STATE_HOME: makeStateHome(),
      REC_PUSH_URL: sandbox.url,
      REC_PUSH_TOKEN: sandbox.token,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(atSummary)}`,
    });
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ event: "summary" });
    expect(stderr).not.toContain("SIGTERM");
  });

  it("that comes before anything was sent says what to do next", async () => {
    const { child, waitForStdout, ended } = startProcess(["-", "-t", "t", "--sandbox", "--json"]);
    await waitForStdout(/"event":"run"/);
    child.kill("SIGTERM");
    await expectEnd(ended, 143, '"next":["run the same command again"]');
  });
});

describe("check --records", () => {
  it("follows no link, and writes a file that is private", async () => {
    const file = await makeFile("a.csv", ROWS);
    const directory = await makeDirectory();
    const other = await makeFile("other", "precious\n");
    await symlink(other, join(directory, "link"));
    await expectEnd(
      runMain(["check", file, "--records", join(directory, "link")]),
      1,
      "it is a link, which is not followed",
    );
    expect(await readFile(other, "utf8")).toBe("precious\n");
    expect((await lstat(join(directory, "link"))).isSymbolicLink()).toBe(true);
    const path = join(directory, "records.ndjson");
    expect((await runMain(["check", file, "--records", path])).code).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

it("a file whose name is not UTF-8 is told to be renamed", async () => {
  const directory = await makeDirectory();
  const name = Buffer.concat([Buffer.from(join(directory, "caf")), Buffer.from([0xe9]), Buffer.from(".csv")]);
  await writeFile(name, ROWS);
  const { stderr, status } = spawnSync("bash", ["-c", `node ${BIN} check caf*`], {
    cwd: directory,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([3, expect.stringContaining("is not UTF-8: rename it")]);
});
