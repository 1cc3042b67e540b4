import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const TOKEN = "c4n4ry-of-the-command";
const NODE = `"${process.execPath}"`;

/** A program whose path a shell would change. */
async function program(text: string): Promise<string> {
  return `${NODE} "${await makeFile("a program.cjs", text)}"`;
}

async function push(command: string, argv: readonly string[] = [], env: Record<string, string> = {}) {
  const sandbox = await openSandbox({ token: TOKEN });
  const file = await makeFile("rows.csv", "cle,state\nA1,x\n");
  const target = ["-t", "commandes", "--url", sandbox.url, "--token-command", command];
  const ended = await runMain([file, ...target, ...argv], { env });
  expect(ended.stdout + ended.stderr).not.toContain("c4n4ry");
  return ended;
}

describe("a token command", () => {
  it("prints the token on its first line; notes below do not count", async () => {
    const command = await program(
      `console.log("  ${TOKEN}\\nurl: https://x"); console.error("c4n4ry on stderr");`,
    );
    expect(await push(command, ["--verbose"])).toMatchObject({ code: 0 });
  });

  it("gets its words as they are, without a shell", async () => {
    const command = await program(`
      const words = process.argv.slice(2).join("|");
      console.log(words === "$HOME|a b|;|>x|'q'" ? "${TOKEN}" : "not " + words);
    `);
    expect(await push(`${command} $HOME 'a b' ; >x "'q'"`)).toMatchObject({ code: 0 });
  });

  it("is not given the rows on standard input", async () => {
    const command = await program(`
      let read = ""; process.stdin.on("data", (data) => (read += data));
      process.stdin.on("end", () => console.log(read === "" ? "${TOKEN}" : "read"));
    `);
    expect(await push(command)).toMatchObject({ code: 0 });
  });

  it.each<[string, string, string]>([
    [
      "ends with 3",
      "console.log('c4n4ry'); console.error('the vault is locked'); process.exit(3)",
      "it ended with 3: the vault is locked",
    ],
    ["prints nothing", "", "its first line is empty"],
    ["prints an empty line first", "console.log(); console.log('c4n4ry')", "its first line is empty"],
    [
      "prints what no header carries",
      "console.log('c4n4ry\\u00e9')",
      "holds characters that no header can carry",
    ],
    [
      "prints without end",
      "for (;;) require('fs').writeSync(1, 'c4n4ry'.repeat(1000))",
      "it printed too much",
    ],
  ])("that %s ends with exit 2", async (_, text, said) => {
    const { code, stderr } = await push(await program(text));
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it.each([
    ["no-such-program-of-rec-push x", "there is no such program"],
    ["'' x", "it is empty"],
  ])("%j is refused", async (command, said) => {
    const { code, stderr } = await push(command);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    expect(stderr).toContain("(--token-command)");
  });

  it("excludes a token file on the same line, and comes before the environment", async () => {
    const command = await program(`console.log("${TOKEN}")`);
    expect(await push(command, ["--token-file", "x"])).toMatchObject({ code: 2 });
    expect(await push(command, [], { REC_PUSH_TOKEN: "another-token" })).toMatchObject({ code: 0 });
  });

  it("may be in the environment, or in a profile", async () => {
    const sandbox = await openSandbox({ token: TOKEN });
    const file = await makeFile("rows.csv", "cle,state\nA1,x\n");
    const command = await program(`console.log("${TOKEN}")`);
    const line = [file, "-t", "commandes", "--url", sandbox.url];
    const byVariable = await runMain(line, { env: { REC_PUSH_TOKEN_COMMAND: command } });
    expect(byVariable).toMatchObject({ code: 0 });
    const profile = { url: sandbox.url, tokenCommand: command };
    const config = await makeFile("own.json", JSON.stringify({ profiles: { p: profile } }));
    const XDG_STATE_HOME = makeStateHome();
    expect(
      await runMain([file, "-t", "commandes", "--config", config], { env: { XDG_STATE_HOME } }),
    ).toMatchObject({
      code: 0,
    });
  });
});
