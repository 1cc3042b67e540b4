import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { answer, startService, type Behaviour } from "../send/support/http-service.ts";
import { startRaw } from "../send/support/raw-service.ts";
import { makeStateHome, runMain, type MainResult } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";
import { WRITINGS } from "./secret-writings.ts";

/** A secret for each way in; its characters are written differently in URLs, base64 and JSON. */
const CANARIES = {
  token: 'tok/3n+c4n4ry="7"',
  header: "he4der c4n4ry & <co>",
  credentials: "cr3dentials+c4n4ry/==",
  query: "qu3ry/c4n4ry é?&",
  profile: "pr0file-c4n4ry%2F",
  short: "k7Q/z",
};
const ROWS = "cle,num_commande\nA1,551035\nA2,551036\n,551037\n,551038\n";

/** Forms in which a service may return a secret. */
const formsOf = (secret: string): string[] => [
  ...Object.values(WRITINGS).map((write) => write(secret)),
  ...(["base64", "base64url"] as const).map((encoding) => Buffer.from(secret).toString(encoding)),
];

const long = Object.values(CANARIES).filter((secret) => secret.length >= 8);
const ECHOES = Object.values(CANARIES).flatMap(formsOf);
const ECHO = `no such key: ${ECHOES.join(" ")} ${Buffer.from(`Bearer ${CANARIES.token} x`).toString("base64")}`;

function expectNoCanary(text: string): void {
  for (const form of ECHOES) expect(text).not.toContain(form);
}

/** The names and contents of all files below a directory. */
async function contentsOf(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return [...files, ...texts].join("\n");
}

/** Pushes with all canaries in place, checks everything that was written, and returns the result. */
async function pushWithCanaries(url: string, argv: readonly string[] = []): Promise<MainResult> {
  const home = makeStateHome();
  const cwd = await makeDirectory();
  const config = {
    profiles: { p: { url, tokenCommand: "printenv THE_TOKEN", headers: { "X-Profile": CANARIES.profile } } },
  };
  const file = await makeFile("rows.csv", ROWS);
  const world = { cwd, env: { XDG_STATE_HOME: home, THE_TOKEN: CANARIES.token } };
  const planted = [
    ["--config", await makeFile("c.json", JSON.stringify(config))],
    ["-H", `X-Key: ${CANARIES.header}`, "-H", `Proxy-Authorization: Basic ${CANARIES.credentials}`],
    ["-H", `X-Short: ${CANARIES.short}`, "--query", `key=${CANARIES.query}`],
  ].flat();
  const options = ["-t", "commandes", "--retries", "0", "--max-wait", "0s", "--batch-size", "2"];
  options.push("--results", join(home, "results.ndjson"), "--log-file", join(home, "log"));
  const report = join(home, argv.includes("--quiet") ? "report.json" : "report.html");
  options.push("--report", report);
  const result = await runMain([file, ...options, ...planted, ...argv], world);
  expectNoCanary(result.stdout + result.stderr);
  expectNoCanary(await contentsOf(home));
  for (const about of [["runs"], ["runs", "--json"]]) {
    const { stdout, stderr } = await runMain(about, world);
    expectNoCanary(stdout + stderr);
  }
  return result;
}

const echo =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    answer(response, status, ECHO, headers);

describe("secrets", () => {
  it.each(shareOf([200, 201, 400, 401, 404, 408, 409, 413, 418, 422, 429, 500, 503], 3))(
    "stay secret if the service returns them with %i",
    async (status) => {
      const { url } = await startService(echo(status, { "retry-after": "1" }));
      let told = "";
      for (const output of [["--json"], ["--verbose"], ["--quiet"]]) {
        const { stdout, stderr } = await pushWithCanaries(url, output);
        told += stdout + stderr;
      }
      expect(told).toContain("(hidden: it repeats a secret)");
    },
  );

  it("stay secret in a page, and in JSON without msg", async () => {
    for (const body of [`<html><body>${ECHO}</body></html>`, JSON.stringify({ error: ECHO })]) {
      const { url } = await startService((_, response) => response.writeHead(500).end(body));
      expect((await pushWithCanaries(url, ["--json"])).stdout).toContain("(hidden: it repeats a secret)");
    }
  });

  it("stay secret in the target of a redirect", async () => {
    for (const secret of long) {
      const path = encodeURIComponent(secret);
      const location = `http://${path}:${path}@127.0.0.1/a/${path}/b?key=${path}#${path}`;
      const { url } = await startService((_, response) => answer(response, 302, "x", { location }));
      const { stderr } = await pushWithCanaries(url);
      expect(stderr).toContain("(hidden: it repeats a secret)");
    }
  });

  it("stay secret if no connection is made, or if it breaks", async () => {
    const url = await startRaw((socket) => socket.once("data", () => socket.end(ECHO)));
    for (const [address, codes] of [
      [url, [7, 8]],
      [url.replace("http:", "https:"), [2]],
      ["http://127.0.0.1:1", [7]],
    ] as const) {
      expect(codes).toContain((await pushWithCanaries(address, ["--verbose"])).code);
    }
  });
});
