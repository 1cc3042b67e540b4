import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBatch } from "../../src/sandbox/server.ts";
import { get, post, sandboxFor } from "./client.ts";
import { draws } from "../support/draws.ts";

const GONE = { "client gone": 1 };
const HEAD = "HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccess_token: sandbox\r\n";

describe("garbage", () => {
  it("is answered with 200 or 400 and never ends the sandbox", async () => {
    const sandbox = await sandboxFor();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.array(fc.dictionary(fc.string(), fc.string())).map((a) => JSON.stringify(a)),
        ),
        async (body) => {
          const { status, msg } = await post(sandbox, body);
          expect([200, 400]).toContain(status);
          expect(msg).not.toBe("");
          expect((await get(sandbox, "/")).status).toBe(200);
        },
      ),
      draws(150),
    );
  });

  it("gives either a problem or flat records of strings", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify({ data: value })),
          fc.string(),
        ),
        (text) => {
          const { records, problem } = parseBatch(text);
          for (const record of records) {
            expect(Object.values(record).every((value) => typeof value === "string")).toBe(true);
          }
          expect(problem === undefined ? records : []).toEqual(problem === undefined ? arrayOf(text) : []);
        },
      ),
    );
  });

  it.each([
    ["a path that is none", "GET /%zz HTTP/1.1\r\nhost: localhost\r\n\r\n", {}],
    ["half a body", `POST /api/items/a/ ${HEAD}content-length: 5\r\n\r\n[`, GONE],
    ["a record without its end", `POST /api/items/t/ ${HEAD}content-length: 14\r\n\r\n[{"cle":"1"}]`, GONE],
    ["zero bytes", "\0\0\0\r\n\r\n", {}],
  ])("survives %s of a client that goes away, and applies nothing of it", async (_, bytes, statuses) => {
    const sandbox = await sandboxFor();
    await new Promise<void>((resolve) => {
      const socket = connect(sandbox.port, "127.0.0.1", () => socket.write(bytes, () => socket.end()));
      socket
        .resume()
        .on("error", () => {})
        .on("close", () => resolve());
    });
    await expect.poll(() => sandbox.requests().statuses).toEqual(statuses);
    expect(sandbox.store.tables()).toEqual([]);
    expect((await post(sandbox, [{ cle: "1" }])).status).toBe(200);
  });
});

function arrayOf(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  return Array.isArray(value) ? value : (value as { data: unknown }).data;
}
