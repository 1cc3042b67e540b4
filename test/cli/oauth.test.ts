import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { startService } from "../send/support/http-service.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { expectEnd } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

const SECRET = "c4n4ry-secret &=%";
const CLIENT = { id: "importer", secret: SECRET };
const ENV = { REC_PUSH_CLIENT_ID: "importer", REC_PUSH_CLIENT_SECRET: SECRET };
const ROWS = "cle,num_commande\nA1,1\n,2\n,3\n";

async function lineFor(url: string, rows = ROWS): Promise<string[]> {
  return [await makeFile("a.csv", rows), "-t", "commandes", "--url", url, "--auth", "oauth2"];
}

async function everythingIn(home: string): Promise<string> {
  const files = await readdir(home, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((one) => one.isFile())
    .map((one) => readFile(join(one.parentPath, one.name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

describe("a push with client credentials", () => {
  it("fetches one token and sends the records to the same table as with a token: nothing is created again", async () => {
    const sandbox = await openSandbox({ client: CLIENT });
    const XDG_STATE_HOME = makeStateHome();
    const line = await lineFor(sandbox.url);
    expect(await runMain(line, { env: { ...ENV, XDG_STATE_HOME } })).toMatchObject({ code: 0 });
    expect([heldBy(sandbox).length, sandbox.tokensGiven()]).toEqual([3, 1]);
    const again = await runMain(line.slice(0, -2), { env: { XDG_STATE_HOME, REC_PUSH_TOKEN: "sandbox" } });
    expect([again.code, heldBy(sandbox).length]).toEqual([0, 3]);
  });

  it("shows neither secret nor token, whatever the service answers, and keeps neither", async () => {
    const TOKEN = "c4n4ry-token-of-the-service";
    const basic = Buffer.from(`importer:${SECRET}`).toString("base64");
    let number = 0;
    const http = await startService(({ path, body, headers }, response) => {
      number += 1;
      if (path.endsWith("/access_token/")) {
        response.end(JSON.stringify({ access_token: `${TOKEN}${number}`, token_type: "Bearer", echo: body }));
      } else response.writeHead(number > 3 ? 401 : 500).end(`${headers.authorization} ${SECRET} ${basic}`);
    });
    const home = makeStateHome();
    const line = await lineFor(http.url);
    const log = join(home, "log");
    const outputs = [];
    for (const more of [["--verbose"], ["--json"]]) {
      const argv = [...line, ...more, "--log-file", log, "--retries", "1", "--again"];
      outputs.push(await runMain(argv, { env: { ...ENV, XDG_STATE_HOME: home } }));
    }
    const texts = outputs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    expect(texts).toContain("(hidden: it repeats a secret)");
    for (const text of [texts, await everythingIn(home)]) {
      expect(text).not.toContain("c4n4ry");
      expect(text).not.toContain(encodeURIComponent(SECRET));
    }
  });

  it.each([
    [400, "invalid_client", "(400 invalid_client)"],
    [401, SECRET, "(401 (hidden: it repeats a secret))"],
  ])(
    "that is refused ends with exit 5, and what comes back is hidden: %i %s",
    async (status, error, said) => {
      const http = await startService(({ body }, response) =>
        response.writeHead(status).end(JSON.stringify({ error, error_description: body })),
      );
      const { code, stdout, stderr } = await runMain(await lineFor(http.url), { env: ENV });
      expect([code, stderr]).toEqual([5, expect.stringContaining(`gives no token to this client ${said}`)]);
      expect(stdout).toContain("give a valid client id");
      expect(stderr).toMatch(/check REC_PUSH_CLIENT_ID .*, which came from \S*REC_PUSH_CLIENT_SECRET/);
      expect(stdout + stderr).not.toContain("c4n4ry");
    },
  );

  it.each<[string, Record<string, string>, string]>([
    ["client id", { REC_PUSH_CLIENT_SECRET: SECRET }, "set REC_PUSH_CLIENT_ID"],
    ["secret", { REC_PUSH_CLIENT_ID: "importer", REC_PUSH_TOKEN: "x" }, "set REC_PUSH_CLIENT_SECRET"],
  ])("without a %s is refused before anything is asked", async (_, env, said) => {
    await expectEnd(runMain(await lineFor("http://127.0.0.1:1"), { env }), 2, said);
  });

  it.each(["//elsewhere/token", "../token"])(
    "refuses the token path %s, which leaves the service",
    async (path) => {
      const profiles = { own: { url: "http://127.0.0.1:1", oauthTokenPath: path } };
      const config = await makeFile("own.json", JSON.stringify({ profiles }));
      const line = [...(await lineFor("http://127.0.0.1:1")), "--config", config];
      await expectEnd(runMain(line, { env: ENV }), 2, "is not a path below the URL");
    },
  );
});

describe("a sandbox with OAuth", () => {
  it("prints commands that push to it as they are", async () => {
    const { child, ended, waitForStdout } = startProcess(["sandbox", "--oauth", "--port", "0"]);
    const said = await waitForStdout(/with OAuth: .*\n/);
    const file = await makeFile("a.csv", ROWS);
    for (const start of ["push to it:", "with OAuth:"]) {
      const line = said.split("\n").find((one) => one.startsWith(start)) ?? "";
      const words = splitWords(line.slice(start.length).trim());
      const at = words.indexOf("rec-push");
      const env = Object.fromEntries(words.slice(0, at).map((word) => word.split("=") as [string, string]));
      const argv = words.slice(at + 1).map((word) => (word === "FILE" ? file : word));
      expect(await runProcess(argv, { env })).toMatchObject({ code: 0 });
    }
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });
});
