import { type IncomingMessage } from "node:http";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../support/plain-server.ts";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { startProxy } from "../support/start-proxy.ts";
import { CA_FILE, SERVICE, startTlsBefore } from "../support/tls-sandbox.ts";

const TOKEN = "tok3n-of-the-service";

async function ask(url: string, argv: readonly string[] = [], env: Record<string, string> = {}) {
  const result = await runMain(["doctor", "-t", "t", "--json", ...argv], {
    env: { REC_PUSH_URL: url, REC_PUSH_TOKEN: TOKEN, ...env },
  });
  const findings = Object.fromEntries(result.events().map((finding) => [finding["what"], finding]));
  return { ...result, findings };
}

/** A service that answers each request with a given status. */
async function startService(statusOf: (request: IncomingMessage) => number): Promise<string> {
  const { url, close } = await startServer((request, _, response) =>
    response.writeHead(statusOf(request), { location: "https://other.example/" }).end(),
  );
  onTestFinished(close);
  return url;
}

const TOKEN_ANSWER = JSON.stringify({ access_token: "c4n4ry-token", token_type: "Bearer" });

/** Starts a service that speaks TLS; returns its port. */
async function startTlsService(
  answer: (request: IncomingMessage, body: string) => [status: number, body: string],
): Promise<number> {
  const { port, close } = await startServer((request, body, response) => {
    const [status, text] = answer(request, body.toString());
    response.writeHead(status).end(text);
  });
  onTestFinished(close);
  return startTlsBefore(port, "service");
}

describe("doctor", () => {
  it("finds nothing wrong with a sandbox, and has posted nothing to it", async () => {
    const sandbox = await openSandbox();
    const { code, findings } = await ask(sandbox.url, [], { REC_PUSH_TOKEN: sandbox.token });
    expect(code).toBe(0);
    expect(findings).toMatchObject({
      program: { state: "ok" },
      config: { state: "ok", text: "none" },
      target: { state: "ok" },
      service: { state: "ok" },
      state: { state: "ok" },
    });
    expect(sandbox.store.snapshot("t")).toEqual([]);
  });

  it.each([
    ["is refused", 401, "wrong", 5],
    ["is not refused", 405, "ok", 0],
    ["would travel elsewhere", 302, "wrong", 6],
  ])("says whether the token %s", async (_, status, state, exit) => {
    const url = await startService(({ headers }) => (headers["access_token"] === TOKEN ? status : 500));
    const { code, findings, stdout } = await ask(url);
    expect([findings["service"]?.["state"], code]).toEqual([state, exit]);
    expect(stdout).not.toContain(TOKEN);
  });

  it.each([
    ["no URL", "", [], "target", 2],
    ["a host that nobody knows", "http://no..such", ["--allow-http"], "service", 2],
    ["nothing that listens", "http://127.0.0.1:1", [], "service", 7],
    ["plain http to another machine", "http://nosuch.invalid", [], "target", 2],
    ["a config that is not there", "http://127.0.0.1:1", ["--config", "/no/such.json"], "config", 2],
  ])("finds %s, with the exit code of a push", async (_, url, argv, what, exit) => {
    const { code, findings } = await ask(url, argv);
    expect(findings[what]).toMatchObject({ state: "wrong", text: expect.stringMatching(/\w/) });
    expect(code).toBe(exit);
  });

  it("connects as a push does: through the proxy, with its authorities and its client", async () => {
    const posts: string[] = [];
    const port = await startTlsService((request, body) => {
      if (request.method === "POST") posts.push(request.url ?? "");
      if (request.method === "POST" && body.includes("c4n4ry-secret")) return [200, TOKEN_ANSWER];
      return [request.headers.authorization === "Bearer c4n4ry-token" ? 405 : 401, ""];
    });
    const proxy = await startProxy({ port, credentials: "me:c4n4ry-pw" });
    const about = ["doctor", "-t", "t", "--url", `https://${SERVICE}`, "--auth", "oauth2", "--json"];
    const env = {
      HTTPS_PROXY: `http://me:c4n4ry-pw@${proxy.address}`,
      REC_PUSH_CLIENT_ID: "me",
      REC_PUSH_CLIENT_SECRET: "c4n4ry-secret",
    };
    const good = await runMain([...about, "--ca", CA_FILE], { env });
    expect(good.code).toBe(0);
    const states = good.events().map(({ what, state }) => `${String(what)} ${String(state)}`);
    expect(states).toEqual(["program ok", "config ok", "target ok", "proxy ok", "service ok", "state ok"]);
    expect(good.stdout).toContain("(HTTPS_PROXY)");
    const wrongs = await Promise.all([
      runMain(about, { env }),
      runMain([...about, "--ca", CA_FILE], { env: { ...env, REC_PUSH_CLIENT_SECRET: "c4n4ry-wrong" } }),
      runMain([...about, "--ca", CA_FILE], {
        env: { ...env, HTTPS_PROXY: `http://me:c4n4ry@${proxy.address}` },
      }),
    ]);
    expect(wrongs.map(({ code }) => code)).toEqual([6, 5, 6]);
    for (const { stdout, stderr } of [good, ...wrongs]) expect(stdout + stderr).not.toContain("c4n4ry");
    expect(new Set(posts)).toEqual(new Set(["/api/oauth2/access_token/"]));
  });

  it.skipIf(process.getuid?.() === 0)(
    "finds a state directory that cannot be written, or cannot be made",
    async () => {
      const home = makeStateHome();
      await mkdir(join(home, "state"), { mode: 0o500 });
      for (const name of ["state", "state/runs", "state/runs/deeper"]) {
        const { code, findings } = await ask((await openSandbox()).url, ["--state-dir", join(home, name)]);
        expect(findings["state"]).toMatchObject({ state: "wrong" });
        expect(code).toBe(1);
      }
    },
  );

  it.each(["file/runs", "gone/runs/deeper"])(
    "finds a state directory that cannot be made: %s",
    async (name) => {
      const home = makeStateHome();
      await writeFile(join(home, "file"), "");
      await symlink(join(home, "unmounted"), join(home, "gone"));
      const { code, findings } = await ask((await openSandbox()).url, ["--state-dir", join(home, name)]);
      expect([code, findings["state"]]).toEqual([1, expect.objectContaining({ state: "wrong" })]);
    },
  );
});
