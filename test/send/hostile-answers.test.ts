import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { serviceAt, startRaw } from "./support/raw-service.ts";

const BODY = Buffer.from('[{"num_commande":"1"}]');
const never = new AbortController().signal;
const MSG = '{"msg":"ok"}';
const ACCEPTED = { kind: "answer", status: 200, msg: "ok" };
/** A success status without a readable body: an update is tried again, a create is in doubt. */
const UNREADABLE = { kind: "answer", status: 200, msg: undefined };
const LOST = { kind: "fault", stage: "lost" };
const UNAUTHORISED = { kind: "answer", status: 401, msg: undefined };
const TIMED_OUT = { kind: "fault", stage: "timeout" };

type Behaviour = (socket: Socket) => unknown;

const http = (head: string, body = MSG): string =>
  `HTTP/1.1 ${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const raw = (head: string, body = MSG): string => `${head}\r\n\r\n${body}`;

/** Answers each request with these bytes. */
const say =
  (answer: string | Buffer): Behaviour =>
  (socket) =>
    socket.on("data", () => socket.write(answer));

const sayAndClose =
  (answer: string): Behaviour =>
  (socket) =>
    socket.on("data", () => socket.end(answer));

/** Begins an answer and goes on for as long as the client listens. */
const pour =
  (head: string, part: string): Behaviour =>
  (socket) =>
    socket.once("data", () => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(part));
        if (!socket.destroyed) socket.once("drain", more);
      };
      socket.write(head);
      more();
    });

const trickle =
  (answer: string): Behaviour =>
  (socket) =>
    socket.once("data", () => {
      let at = 0;
      const timer = setInterval(() => socket.write(answer.charAt(at++) || " "), 20);
      socket.on("close", () => clearInterval(timer));
    });

const packed = (body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ]);

const CASES: readonly (readonly [string, Behaviour, object])[] = [
  // Bodies
  [
    "a body of 100 MB",
    pour("HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n", "x".repeat(64_000)),
    UNREADABLE,
  ],
  ["a body without end", pour("HTTP/1.1 200 OK\r\n\r\n", "x".repeat(64_000)), UNREADABLE],
  ["invalid JSON", say(http("200 OK", '{"msg":"ok"')), UNREADABLE],
  ["a page", say(http("200 OK", "<html>Welcome</html>")), UNREADABLE],
  ["JSON 9,000 levels deep", say(http("200 OK", '{"msg":'.repeat(9_000))), UNREADABLE],
  [
    "bytes that are not UTF-8",
    say(Buffer.from(http("200 OK", '{"msg":"é"}').replace("12", "11"), "latin1")),
    { ...ACCEPTED, msg: "\uFFFD" },
  ],
  [
    "a packed body",
    say(packed(gzipSync(MSG))),
    { ...UNREADABLE, text: expect.stringContaining("compressed") as string },
  ],
  ["a compression bomb", say(packed(gzipSync(Buffer.alloc(20_000_000)))), UNREADABLE],
  // Lengths
  ["a length too long, and closes", sayAndClose(raw("HTTP/1.1 200 OK\r\ncontent-length: 99")), UNREADABLE],
  ["a length too short", say(raw("HTTP/1.1 200 OK\r\ncontent-length: 5")), UNREADABLE],
  ["a length that is none", say(raw("HTTP/1.1 200 OK\r\ncontent-length: many")), LOST],
  ["two lengths", say(raw("HTTP/1.1 200 OK\r\ncontent-length: 12\r\ncontent-length: 13")), LOST],
  [
    "chunks that are none",
    say(raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked", `zz\r\n${MSG}`)),
    UNREADABLE,
  ],
  [
    "chunks without the last",
    sayAndClose(raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked", `c\r\n${MSG}\r\n`)),
    UNREADABLE,
  ],
  // Heads
  ["a header of 100 kB", say(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`), LOST],
  ["headers without end", pour("HTTP/1.1 200 OK\r\n", "x: y\r\n".repeat(1000)), LOST],
  ["a 100 Continue that was not asked for", say(`HTTP/1.1 100 Continue\r\n\r\n${http("200 OK")}`), LOST],
  [
    "informational answers before the final one",
    say(`${"HTTP/1.1 102 Processing\r\n\r\n".repeat(100)}${http("200 OK")}`),
    ACCEPTED,
  ],
  [
    "an upgrade to something else",
    say("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
    LOST,
  ],
  ["a status below 100", say(http("000 Nothing")), LOST],
  ["HTTP/1.0", sayAndClose(raw("HTTP/1.0 200 OK")), ACCEPTED],
  ["HTTP/0.9", sayAndClose(MSG), LOST],
  ["zero bytes", say(Buffer.alloc(1000)), LOST],
  // Connections
  ["before it read anything, nothing", (socket) => socket.destroy(), LOST],
  ["after the first bytes, nothing", (socket) => socket.once("data", () => socket.resetAndDestroy()), LOST],
  ["half a status line", sayAndClose("HTTP/1.1 2"), LOST],
  ["half its headers", sayAndClose("HTTP/1.1 200 OK\r\ncontent-le"), LOST],
  ["half its body", sayAndClose(http("200 OK").slice(0, -5)), UNREADABLE],
  ["half the body of a refusal", sayAndClose(http("401 Unauthorized").slice(0, -5)), UNAUTHORISED],
];

const WAITING: typeof CASES = [
  ["a length too long, and waits", say(raw("HTTP/1.1 200 OK\r\ncontent-length: 99")), UNREADABLE],
  [
    "a body that trickles",
    (socket) => (socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n"), trickle(MSG)(socket)),
    UNREADABLE,
  ],
  ["nothing at all", () => undefined, TIMED_OUT],
  ["informational answers without end", pour("", "HTTP/1.1 102 Processing\r\n\r\n".repeat(50)), TIMED_OUT],
  ["headers that trickle", trickle(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(1000)}`), TIMED_OUT],
];

describe("a service that answers with", () => {
  it.each(CASES)("%s: says what is known, twice", async (_, behave, expected) => {
    const service = serviceAt(await startRaw(behave));
    expect(await service.post(BODY, "create", never)).toMatchObject(expected);
    expect(await service.post(BODY, "create", never)).toMatchObject(expected);
  });

  it.each(["SSH-2.0-OpenSSH\r\n", "<html>502</html>", "PRI * HTTP/2.0\r\n\r\n"])(
    "%j, which is not HTTP, on a connection that was used: says that no answer came",
    async (bytes) => {
      let requests = 0;
      const url = await startRaw((socket) =>
        socket.on("data", () => {
          requests += 1;
          if (requests % 2 === 1) socket.write(http("200 OK"));
          else socket.end(bytes);
        }),
      );
      const service = serviceAt(url);
      expect(await service.post(BODY, "update", never)).toMatchObject(ACCEPTED);
      expect(await service.post(BODY, "update", never)).toMatchObject(LOST);
      expect(await service.post(BODY, "update", never)).toMatchObject(ACCEPTED);
    },
  );

  it("what does not end: says what is known when the time is up", async () => {
    const ends = WAITING.map(async ([what, behave]) => {
      const service = serviceAt(await startRaw(behave), 1000);
      return [what, await service.post(BODY, "create", never)];
    });
    expect(await Promise.all(ends)).toMatchObject(WAITING.map(([what, , expected]) => [what, expected]));
  });

  it("an endless body is cut off, and not read", async () => {
    let sent: Socket | undefined;
    const url = await startRaw((socket) => {
      sent = socket;
      pour("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n", "x".repeat(64_000))(socket);
    });
    await serviceAt(url).post(BODY, "create", never);
    await new Promise((resolve) => sent?.once("close", resolve));
    expect(sent?.bytesWritten).toBeLessThan(100_000_000);
  });

  it("an answer before the request was whole is heard", async () => {
    const url = await startRaw((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write(http("413 Too Large"));
        setTimeout(() => socket.resume(), 50);
      });
    });
    const large = Buffer.alloc(8 * 1024 * 1024, 0x20);
    expect(await serviceAt(url).post(large, "create", never)).toMatchObject({ status: 413, msg: "ok" });
  });
});
