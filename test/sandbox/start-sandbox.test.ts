import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { isCut, post, sandboxFor } from "./client.ts";

describe("starting a sandbox", () => {
  it("listens on 127.0.0.1, on a free port, with the token sandbox", async () => {
    const sandbox = await sandboxFor();
    expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}`);
    expect(sandbox.token).toBe("sandbox");
  });

  it.each([
    [{ token: "" }, "bad-option-value"],
    [{ token: "two words" }, "bad-option-value"],
    [{ dbVersions: [] }, "bad-option-value"],
    [{ dbVersions: [""] }, "bad-option-value"],
    [{ faults: ["nonsense"] }, "bad-option-value"],
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
    let hasArrived = false;
    const nowMs = (): number => {
      hasArrived = true;
      return 0;
    };
    const sandbox = await startSandbox({
      faults: ["latency=3600000"],
      limit: { requests: 9, seconds: 9 },
      nowMs,
    });
    const cut = isCut(post(sandbox, [{ cle: "1" }]));
    await expect.poll(() => hasArrived).toBe(true);
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
    ["LOCALHOST", 200],
    ["128.0.0.1", 403],
  ])("is asked as %s and answers %d", async (host, status) => {
    expect(await statusFor((await sandboxFor()).port, { host })).toBe(status);
  });
});
