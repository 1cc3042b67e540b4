import { chmod } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const WRONG = "c4n4ry-of-the-token";
const PROGRAM = `"${process.execPath}" -p "'${WRONG}'"`;

async function places() {
  const file = await makeFile("token", WRONG);
  await chmod(file, 0o600);
  const config = async (profile: object) =>
    makeFile("own.json", JSON.stringify({ profiles: { night: profile } }));
  return { file, config };
}

type Places = Awaited<ReturnType<typeof places>>;
type Given = Promise<{ argv?: readonly string[]; env?: Record<string, string>; from: string }>;

describe("a token that the service refuses", () => {
  it.each<[string, (places: Places) => Given]>([
    ["REC_PUSH_TOKEN", async () => ({ env: { REC_PUSH_TOKEN: WRONG }, from: "REC_PUSH_TOKEN" })],
    [
      "--token-file",
      async ({ file }) => ({ argv: ["--token-file", file], from: `the file ${file} (--token-file)` }),
    ],
    [
      "REC_PUSH_TOKEN_FILE",
      async ({ file }) => ({
        env: { REC_PUSH_TOKEN_FILE: file },
        from: `the file ${file} (REC_PUSH_TOKEN_FILE)`,
      }),
    ],
    [
      "--token-command",
      async () => ({
        argv: ["--token-command", PROGRAM],
        from: `the command ${process.execPath} (--token-command)`,
      }),
    ],
    [
      "a profile's file",
      async ({ file, config }) => {
        const path = await config({ tokenFile: file });
        return { argv: ["--config", path], from: `the file ${file} (profile night of ${path})` };
      },
    ],
    [
      "a variable that a profile's command prints",
      async ({ config }) => {
        const path = await config({ tokenCommand: "printenv NIGHT_TOKEN" });
        return {
          argv: ["--config", path],
          env: { NIGHT_TOKEN: WRONG },
          from: `the command printenv (profile night of ${path})`,
        };
      },
    ],
  ])("from %s is told with that place, never with its value", async (_, give) => {
    const { argv = [], env = {}, from } = await give(await places());
    const sandbox = await openSandbox({ token: "another" });
    const rows = await makeFile("rows.csv", "cle,num_commande\nA1,1\n");
    const line = [rows, "-t", "commandes", "--url", sandbox.url, ...argv];
    const { code, stdout, stderr } = await runMain(line, { env });
    expect([code, stderr]).toEqual([5, expect.stringContaining(`which came from ${from}`)]);
    expect(stdout + stderr).not.toContain("c4n4ry");
  });
});
