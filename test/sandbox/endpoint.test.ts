import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { RequestKeys, RequestLog, type SandboxContext } from "../../src/sandbox/context.ts";
import { FaultSet } from "../../src/sandbox/fault-set.ts";
import { postItems } from "../../src/sandbox/post-items.ts";
import { sendReply } from "../../src/sandbox/reply.ts";
import { serveFaults } from "../../src/sandbox/server.ts";
import { Store } from "../../src/sandbox/store.ts";

function contextWith(stopped: AbortSignal): SandboxContext {
  return {
    store: new Store(),
    faults: new FaultSet([], () => 0),
    log: new RequestLog(),
    token: "sandbox",
    clientTokens: undefined,
    limit: undefined,
    databaseVersions: undefined,
    tables: undefined,
    keys: new RequestKeys(),
    bodyLimitBytes: 1000,
    isAtomic: true,
    isLoopbackOnly: false,
    otherNames: [],
    nowMs: () => 0,
    stopped,
  };
}

/** A request as the endpoints see it, from an address that no test may really come from. */
function requestOf(body: string, remoteAddress: string): IncomingMessage {
  const headers = { access_token: "sandbox", "content-type": "application/json" };
  const parts = { method: "POST", headers, socket: { remoteAddress } };
  return Object.assign(Readable.from([Buffer.from(body)]), parts) as unknown as IncomingMessage;
}

describe("an endpoint", () => {
  it.each([
    ["192.0.2.1", 403, 0],
    ["127.0.0.1", 200, 1],
    ["::ffff:127.0.0.1", 200, 1],
  ])("lets faults be set from %s: %d", async (address, status, count) => {
    const context = contextWith(new AbortController().signal);
    expect(await serveFaults(context, requestOf('["hang"]', address))).toMatchObject({ status });
    expect(context.faults.active()).toHaveLength(count);
  });

  it("applies nothing once the sandbox has ended", async () => {
    const context = contextWith(AbortSignal.abort());
    const posted = postItems(
      context,
      requestOf('[{"cle":"1"}]', "127.0.0.1"),
      { table: "t", isOAuth: false },
      new URLSearchParams(),
    );
    await expect(posted).rejects.toMatchObject({ name: "AbortError" });
    expect(context.store.tables()).toEqual([]);
  });

  it("makes no more of a long answer than its reader takes, and ends with the reader", async () => {
    let made = 0;
    let ended = false;
    function* pieces(): Generator<string> {
      for (; made < 2000; made += 1) yield "x".repeat(65_536);
    }
    const server = createServer((_, response) => {
      const reply = { kind: "stream", contentType: "text/plain", pieces: pieces() } as const;
      void sendReply(response, reply, new AbortController().signal).then(() => {
        ended = true;
      });
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await expect.poll(() => server.listening).toBe(true);
    const reader = connect((server.address() as AddressInfo).port, "127.0.0.1");
    reader.pause().write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await expect.poll(() => made).toBeGreaterThan(0);
    expect(made).toBeLessThan(2000);
    reader.destroy();
    await expect.poll(() => ended).toBe(true);
    expect(made).toBeLessThan(2000);
  });
});
