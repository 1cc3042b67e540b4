import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kindOf, parseBatch } from "../../src/sandbox/server.ts";
import { get, post, sandboxFor } from "./client.ts";
import { draws } from "../support/draws.ts";

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
    "GET /%zz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "POST //api/items/a/ HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n[",
    "\0\0\0\r\n\r\n",
  ])("survives raw bytes and clients that go away: %j", async (bytes) => {
    const sandbox = await sandboxFor();
    await new Promise<void>((resolve) => {
      const socket = connect(sandbox.port, "127.0.0.1", () => {
        socket.write(bytes, () => socket.end());
      });
      socket
        .resume()
        .on("error", () => {})
        .on("close", () => {
          resolve();
        });
    });
    expect((await post(sandbox, [{ cle: "1" }])).status).toBe(200);
  });

  it("applies nothing of a body that the client did not finish", async () => {
    const sandbox = await sandboxFor();
    const body = '[{"cle":"1"}]';
    const head = `POST /api/items/t/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccess_token: sandbox\r\ncontent-length: ${body.length + 1}\r\n\r\n`;
    await new Promise<void>((resolve) => {
      const socket = connect(sandbox.port, "127.0.0.1", () => {
        socket.write(head + body, () => socket.end());
      });
      socket
        .resume()
        .on("error", () => {})
        .on("close", () => {
          resolve();
        });
    });
    await expect.poll(() => sandbox.requests().statuses).toEqual({ "client gone": 1 });
    expect(sandbox.store.tables()).toEqual([]);
  });

  it("tells batches with a create from those without", () => {
    expect([kindOf([]), kindOf([{ cle: "1" }]), kindOf([{ cle: "1" }, { a: "" }])]).toEqual([
      undefined,
      "update",
      "create",
    ]);
  });
});

function arrayOf(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  return Array.isArray(value) ? value : (value as { data: unknown }).data;
}
