import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { deadPort } from "../send/support/http-service.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { type MainResult, makeStateHome, runMain } from "../support/run-main.ts";
import { type ProxyAct, startProxy, type TestProxy } from "../support/start-proxy.ts";
import { makeFile } from "../support/temp-files.ts";
import { openTlsSandbox, SERVICE, startTlsBefore, type TlsSandbox } from "../support/tls-sandbox.ts";
import { expectEnd } from "../support/scenario.ts";

const ROWS = `cle,num_commande\nA1,1\n${Array.from({ length: 9 }, (_, at) => `,${at}\n`).join("")}`;
const ALL = 10;

interface World extends TlsSandbox {
  readonly proxy: TestProxy;
  readonly home: string;
  readonly push: (argv: readonly string[], env?: Record<string, string>) => Promise<MainResult>;
}

/** A service behind a proxy, and a push of one update and nine creates to it. */
async function openWorld(
  act?: (number: number) => ProxyAct,
  credentials?: string,
  rows = ROWS,
): Promise<World> {
  const service = await openTlsSandbox();
  const { port } = service;
  const proxy = await startProxy({ port, ...(act && { act }), ...(credentials && { credentials }) });
  const home = makeStateHome();
  const file = await makeFile("a.csv", rows);
  const base = [file, "-t", "commandes", "--url", `https://${SERVICE}`, "--ca", service.caFile];
  return {
    ...service,
    proxy,
    home,
    push: (argv, env = { HTTPS_PROXY: `http://${proxy.address}` }) =>
      runMain([...base, ...argv], { env: { XDG_STATE_HOME: home, REC_PUSH_TOKEN: "sandbox", ...env } }),
  };
}

const held = ({ sandbox }: World): number => heldBy(sandbox).length;

describe("a push through a proxy", () => {
  it("goes through a tunnel to the name that the proxy resolves", async () => {
    const world = await openWorld();
    expect(await world.push([])).toMatchObject({ code: 0 });
    expect([held(world), new Set(world.proxy.asked)]).toEqual([ALL, new Set([`${SERVICE}:443`])]);
  });

  it("goes through a proxy that speaks TLS, with a certificate of the service's authority", async () => {
    const world = await openWorld(undefined, "me:canary");
    const port = await startTlsBefore(world.proxy.port, "service");
    const ended = await world.push([], { HTTPS_PROXY: `https://me:canary@localhost:${port}` });
    expect(ended).toMatchObject({ code: 0 });
    expect([held(world), new Set(world.proxy.asked)]).toEqual([ALL, new Set([`${SERVICE}:443`])]);
  });

  it("opens many tunnels at once without a warning of Node", async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const rows = Array.from({ length: 24 }, (_, at) => `A${at},${at}\n`);
    const world = await openWorld(() => "hang", undefined, `cle,num_commande\n${rows.join("")}`);
    const pace = ["--concurrency", "24", "--batch-size", "1", "--timeout", "1s", "--retries", "0"];
    expect((await world.push([...pace, "--max-failed", "100"])).code).toBe(7);
    expect([world.proxy.asked.length > 11, warnings]).toEqual([true, []]);
  });

  it("tunnels plain http too", async () => {
    const sandbox = await openSandbox({ otherNames: [SERVICE] });
    const proxy = await startProxy({ port: sandbox.port, credentials: "me:p%w-canary" });
    const push = async (user: string) =>
      runMain(
        [await makeFile("a.csv", ROWS), "-t", "commandes", "--url", `http://${SERVICE}/base`, "--allow-http"],
        { env: { REC_PUSH_TOKEN: "sandbox", HTTP_PROXY: `http://${user}@${proxy.address}` } },
      );
    expect((await push("me:p%25w-canary")).code).toBe(0);
    expect([heldBy(sandbox).length, new Set(proxy.asked)]).toEqual([ALL, new Set([`${SERVICE}:80`])]);
    const refused = await push("me:other-canary");
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("(407)")]);
    expect(refused.stdout + refused.stderr).not.toContain("canary");
  });

  it("never shows the credentials of a proxy, nor keeps them", async () => {
    const secret = "p-canary-of-the-proxy";
    const { push, proxy, home } = await openWorld(undefined, `me:${secret}`);
    const log = join(home, "log");
    const env = { HTTPS_PROXY: `http://me:${secret}@${proxy.address}` };
    const good = await push(["--verbose", "--log-file", log], env);
    const wrong = await push(["--json", "--again", "--log-file", log], {
      HTTPS_PROXY: `http://me:wrong-canary@${proxy.address}`,
    });
    expect([good.code, wrong.code]).toEqual([0, 6]);
    expect(wrong.stderr).toContain("HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT");
    const files = await readdir(home, { recursive: true, withFileTypes: true });
    const kept = await Promise.all(
      files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), "latin1")),
    );
    const all = [good.stdout, good.stderr, wrong.stdout, wrong.stderr, ...kept].join("\n");
    expect(all).not.toContain("canary");
    expect(all).not.toContain(Buffer.from(`me:${secret}`).toString("base64"));
  });
});

describe("a proxy in trouble", () => {
  it.each<[string, ProxyAct]>([
    ["answers 503 to CONNECT", { status: 503 }],
    ["cuts the connection after CONNECT", "cut"],
  ])("that %s is asked again, creates too: nothing was sent", async (_, trouble) => {
    const world = await openWorld((number) => (number === 1 || number === 3 ? trouble : "pass"));
    const { code, stdout } = await world.push(["--concurrency", "1", "--batch-size", "4"]);
    expect([code, held(world)]).toEqual([0, ALL]);
    expect(stdout).not.toContain("doubt");
    expect(world.proxy.asked.length).toBeGreaterThan(1);
  });

  it("that cuts the connection while a create is sent leaves doubt", async () => {
    const rows = `num_commande\n${Array.from({ length: 400 }, (_, at) => `${at}\n`).join("")}`;
    const world = await openWorld(() => ({ bytes: 6000 }), undefined, rows);
    const { code, stdout } = await world.push(["--retries", "0"]);
    expect([code, held(world)]).toEqual([8, expect.any(Number)]);
    expect(stdout).toContain("in doubt");
  });

  it.each<[string, ProxyAct | "dead" | "unknown", number, string]>([
    ["refuses the host", { status: 403 }, 6, "NO_PROXY"],
    ["sends elsewhere", { status: 302 }, 6, "check the proxy's address"],
    ["cannot reach the service", { status: 502 }, 7, "the proxy"],
    ["does not listen", "dead", 7, "the proxy"],
    ["does not answer", "hang", 7, "no connection within 1 s through the proxy"],
    ["has an unknown name", "unknown", 6, "no-such..proxy:3128 cannot be reached"],
  ])("that %s ends the push with advice that helps", async (_, act, code, said) => {
    const isAway = act === "dead" || act === "unknown";
    const world = await openWorld(isAway ? undefined : () => act);
    const port = act === "dead" ? await deadPort() : world.proxy.port;
    const HTTPS_PROXY = act === "unknown" ? "http://no-such..proxy:3128" : `http://127.0.0.1:${port}`;
    const ended = await world.push(["--retries", "0", "--timeout", "1s"], { HTTPS_PROXY });
    expect(ended).toMatchObject({ code });
    expect(ended.stdout + ended.stderr).toContain(said);
    expect(held(world)).toBe(0);
  });
});

describe("a push with a proxy in the environment", () => {
  it("with a SOCKS proxy says that it is not supported", async () => {
    const { push } = await openWorld();
    await expectEnd(push([], { ALL_PROXY: "socks5://127.0.0.1:1" }), 2, "SOCKS is not supported");
  });

  it("to this machine connects directly", async () => {
    const sandbox = await openSandbox();
    const gone = `http://127.0.0.1:${await deadPort()}`;
    const env = { REC_PUSH_TOKEN: "sandbox", HTTP_PROXY: gone, http_proxy: gone, ALL_PROXY: gone };
    const file = await makeFile("a.csv", ROWS);
    expect(await runMain([file, "-t", "commandes", "--url", sandbox.url], { env })).toMatchObject({
      code: 0,
    });
  });
});
