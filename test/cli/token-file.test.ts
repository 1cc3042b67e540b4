import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const TOKEN = "c4n4ry-of-the-token-file";
const ROWS = "cle,state\nA1,x\n";

/** Pushes with the token in a file with this mode. */
async function pushWithMode(mode: number, argv: readonly string[] = []) {
  const sandbox = await openSandbox({ token: TOKEN });
  const tokenFile = await makeFile("token", `${TOKEN}\n`);
  await chmod(tokenFile, mode);
  const file = await makeFile("rows.csv", ROWS);
  const options = ["-t", "commandes", "--url", sandbox.url, "--token-file", tokenFile];
  return { tokenFile, sandbox, ...(await runMain([file, ...options, ...argv])) };
}

describe("a token file", () => {
  it.each([0o600, 0o400, 0o640])("of mode %o is read silently", async (mode) => {
    expect(await pushWithMode(mode)).toMatchObject({ code: 0, stderr: expect.not.stringContaining("chmod") });
  });

  it("that everyone may read is used, with a notice that says how to make it private", async () => {
    const { code, stderr, tokenFile } = await pushWithMode(0o644);
    expect(stderr).toContain(
      `everyone on this machine can read the token file ${tokenFile} (--token-file); chmod 600 ${tokenFile}`,
    );
    expect(code).toBe(0);
    const { stdout } = await pushWithMode(0o644, ["--json"]);
    expect(stdout).toMatch(/"event":"notice",.*"text":"everyone on this machine/);
  });

  it("that everyone may write is refused: whoever writes it chooses the account", async () => {
    const { code, stderr, tokenFile, sandbox } = await pushWithMode(0o602);
    expect(stderr).toContain(`everyone on this machine can write the token file ${tokenFile}`);
    expect(stderr).toContain(`chmod 600 ${tokenFile}`);
    expect([code, sandbox.requests().requests]).toEqual([2, 0]);
  });

  it.each([TOKEN, `eyJhbGciOi.${TOKEN}.${TOKEN}`])(
    "mixed up with the token itself (%s) shows neither",
    async (token) => {
      const file = await makeFile("rows.csv", ROWS);
      const { code, stderr } = await runMain([
        file,
        "-t",
        "t",
        "-u",
        "https://x.example",
        "--token-file",
        token,
      ]);
      expect(stderr).toContain("because it may be the token itself (--token-file): ENOENT");
      expect(stderr).not.toContain(token);
      expect(code).toBe(2);
    },
  );

  it.each([
    [`Bearer ${TOKEN}`, 'begins with "Bearer", which is added'],
    [`Authorization: Bearer ${TOKEN}`, 'begins with "Bearer"'],
    [`"${TOKEN}"`, "is between quotes"],
    [`'${TOKEN}'`, "is between quotes"],
  ])("that holds more than the token is refused before anything is sent: %s", async (text, said) => {
    const sandbox = await openSandbox({ token: TOKEN });
    const tokenFile = await makeFile("token", `${text}\n`);
    const file = await makeFile("rows.csv", ROWS);
    const line = [file, "-t", "commandes", "--url", sandbox.url];
    const byFile = await runMain([...line, "--token-file", tokenFile]);
    const byVariable = await runMain(line, { env: { REC_PUSH_TOKEN: text } });
    for (const { code, stderr } of [byFile, byVariable]) {
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
      expect(stderr).not.toContain(TOKEN);
    }
    expect(sandbox.requests().requests).toBe(0);
  });

  it("that is not there is named", async () => {
    const file = await makeFile("rows.csv", ROWS);
    for (const name of ["/etc/rec-push/no-such-token", "no-such-token-file.txt", "token"]) {
      const { stderr } = await runMain([file, "-t", "t", "-u", "https://x.example", "--token-file", name]);
      expect(stderr).toContain(`cannot read the token file ${name} (--token-file): ENOENT`);
    }
  });
});

describe("a secret at the wrong place", () => {
  it.each([
    ["an option that does not exist", ["--token=c4n4ry-on-the-line", "x.csv"]],
    ["a misspelt option", ["x.csv", "--http-headr=X: c4n4ry-on-the-line"]],
    ["an option without a colon", ["x.csv", "-t", "t", "-H", "c4n4ry-on-the-line"]],
    ["a query without =", ["x.csv", "-t", "t", "--query", "c4n4ry-on-the-line"]],
    ["the URL", ["x.csv", "-t", "t", "-u", "https://me:c4n4ry-on-the-line@records.example"]],
    ["the query of the URL", ["x.csv", "-t", "t", "-u", "https://records.example/?key=c4n4ry-on-the-line"]],
    [
      "a file that has the token's name",
      ["x.csv", "-t", "t", "-u", "https://x.example", "--token-file", "./c4n4ry-on-the-line"],
    ],
  ])("is not repeated: %s", async (_, argv) => {
    const file = await makeFile("x.csv", ROWS);
    const given = argv.map((word) => (word === "x.csv" ? file : word));
    const { code, stderr, stdout } = await runMain(given, { env: { REC_PUSH_TOKEN: "c4n4ry-on-the-line" } });
    expect(stderr + stdout).not.toContain("c4n4ry");
    expect(stderr).toContain("error:");
    expect(code).toBe(2);
  });
});

describe("a fault of rec-push", () => {
  it("shows its stack without the token, wherever that came from", async () => {
    const sandbox = await openSandbox({ token: TOKEN });
    const tokenFile = await makeFile("token", TOKEN);
    await chmod(tokenFile, 0o600);
    const argv = [await makeFile("rows.csv", ROWS), "-t", "t", "-u", sandbox.url];
    for (const [more, env] of [
      [["--token-file", tokenFile], {}],
      [["-H", `X-Key: ${TOKEN}`], { REC_PUSH_TOKEN: TOKEN }],
    ] as const) {
      let told = "";
      const io = {
        stdin: process.stdin,
        cwd: await makeDirectory(),
        env: { XDG_STATE_HOME: makeStateHome(), XDG_CONFIG_HOME: await makeDirectory(), ...env },
        stdout: new Writable(),
        stderr: new Writable({ write: (chunk: Buffer, _, done) => ((told += chunk.toString()), done()) }),
        now: () => new Date(),
        onSignal: () => () => undefined,
      };
      io.stdout.write = () => {
        throw new TypeError(`no way to write with ${TOKEN}`);
      };
      expect(await main([...argv, ...more], io)).toBe(1);
      expect(told).toContain("(hidden: it repeats a secret)\n    at ");
      expect(told).not.toContain(TOKEN);
    }
  });
});

describe("cells that equal the token", () => {
  it("are sent as they are, and shown as they are", async () => {
    const sandbox = await openSandbox({ token: TOKEN });
    const directory = await makeDirectory();
    const file = await makeFile("rows.csv", `cle,state\nA1,${TOKEN}\n`);
    expect((await pushTo(sandbox, [file])).code).toBe(0);
    expect(heldBy(sandbox)).toEqual([{ cle: "A1", state: TOKEN }]);
    const records = join(directory, "records.ndjson");
    await pushTo(sandbox, ["check", file, "--records", records]);
    expect(await readFile(records, "utf8")).toBe(`{"cle":"A1","state":"${TOKEN}"}\n`);
    const bad = await makeFile("bad.csv", `cle,date_billed\nA1,${TOKEN}\n`);
    const { events } = await pushTo(sandbox, [bad, "--json"]);
    expect(events().find(({ event }) => event === "reject")).toMatchObject({ value: TOKEN });
  });
});
