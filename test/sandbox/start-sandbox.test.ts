import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { isLoopback, isLoopbackHostHeader } from "../../src/sandbox/context.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { isCut, post, sandboxFor } from "./client.ts";

describe("starting a sandbox", () => {
  it("listens on 127.0.0.1, on a free port, with the token sandbox", async () => {
    const sandbox = await sandboxFor();
    expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}`);
    expect(sandbox.token).toBe("sandbox");
  });

  it.each([
    [{ host: "0.0.0.0" }, "sandbox-remote"],
    [{ host: "192.0.2.1", token: "s3cret" }, "sandbox-remote"],
    [{ host: "0.0.0.0", allowRemote: true }, "sandbox-remote-token"],
    [{ token: "" }, "sandbox-token"],
    [{ token: "two words" }, "sandbox-token"],
    [{ dbVersions: [] }, "sandbox-versions"],
    [{ dbVersions: [""] }, "sandbox-versions"],
    [{ faults: ["nonsense"] }, "bad-fault"],
  ])("refuses %j", async (options, code) => {
    await expect(startSandbox(options)).rejects.toMatchObject({ kind: "usage", code });
  });

  it("says that a port is taken", async () => {
    const { port } = await sandboxFor();
    await expect(startSandbox({ port })).rejects.toMatchObject({
      code: "sandbox-listen",
      message: `The sandbox cannot listen on 127.0.0.1, port ${port}: another program listens there.`,
    });
  });

  it("closes although a client waits, and may be closed twice", async () => {
    const sandbox = await startSandbox({ faults: ["latency=3600000"] });
    const cut = isCut(post(sandbox, [{ cle: "1" }]));
    await expect
      .poll(async () => (await fetch(`${sandbox.url}/sandbox/faults`)).text())
      .toContain('"struck":1');
    await Promise.all([sandbox.close(), sandbox.close()]);
    expect(await cut).toBe(true);
    expect(sandbox.store.tables()).toEqual([]);
    expect(await isCut(fetch(sandbox.url))).toBe(true);
  });
});

function statusFor(port: number, headers: Record<string, string>, path = "/"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("who may read", () => {
  it.each([
    ["127.0.0.1:1", 200],
    ["localhost", 200],
    ["[::1]:80", 200],
    ["evil.example", 403],
    ["127.0.0.1.evil.example", 403],
  ])("a loopback sandbox answers readers that call it %s with %d", async (host, status) => {
    expect(await statusFor((await sandboxFor()).port, { host })).toBe(status);
  });

  const basic = (password: string): string => `Basic ${Buffer.from(`anyone:${password}`).toString("base64")}`;

  it.each([
    ["nothing", {}, 401],
    ["a wrong password", { authorization: basic("wrong") }, 401],
    ["the token as password", { authorization: basic("s3cret") }, 200],
    ["the token as Bearer", { authorization: "Bearer s3cret" }, 200],
    ["the token as access_token", { access_token: "s3cret" }, 200],
  ])("one that is open to others asks for the token: with %s", async (_, headers, status) => {
    const sandbox = await sandboxFor({ host: "0.0.0.0", allowRemote: true, token: "s3cret" });
    for (const path of ["/", "/sandbox/requests"]) {
      expect(await statusFor(sandbox.port, headers as Record<string, string>, path)).toBe(status);
    }
  });

  it.each([
    ["127.0.0.1", true],
    ["127.8.9.10", true],
    ["::ffff:127.0.0.1", true],
    ["::1", true],
    ["[::1]", true],
    ["LOCALHOST", true],
    ["0.0.0.0", false],
    ["::", false],
    ["128.0.0.1", false],
    ["localhost.example", false],
    ["", false],
  ])("%s is loopback: %s", (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });

  it("needs a Host header", () => {
    expect(isLoopbackHostHeader(undefined)).toBe(false);
  });
});
