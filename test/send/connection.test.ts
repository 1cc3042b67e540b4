import dns from "node:dns";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer, startService } from "./support/http-service.ts";
import { serviceAt, startRaw } from "./support/raw-service.ts";

const BODY = Buffer.from('[{"num_commande":"1"}]');
const never = new AbortController().signal;
const answerOf = (status: number): string => `HTTP/1.1 ${status} X\r\ncontent-length: 12\r\n\r\n{"msg":"ok"}`;
const ANSWER = answerOf(200);

describe("connections", () => {
  it("uses one connection for requests that follow each other", async () => {
    const http = await startService((_, response) => answer(response));
    const service = serviceAt(http.url);
    for (const kind of ["update", "create", "update", "create"] as const)
      await service.post(BODY, kind, never);
    expect(http.connections()).toBe(1);
  });

  it("sends a create on a new connection when the kept one was idle for a second, an update on the kept one", async () => {
    const http = await startService((_, response) => answer(response));
    const service = serviceAt(http.url);
    await service.post(BODY, "create", never);
    await sleep(1000);
    await service.post(BODY, "update", never);
    expect(http.connections()).toBe(1);
    await sleep(1000);
    await service.post(BODY, "create", never);
    expect(http.connections()).toBe(2);
  });

  it("looks at the idle time again right before the first byte, after the process was held up", async () => {
    const http = await startService((_, response) => answer(response));
    const service = serviceAt(http.url);
    await service.post(BODY, "create", never);
    const posting = service.post(BODY, "create", never);
    const until = performance.now() + 1000;
    while (performance.now() < until);
    expect(await posting).toMatchObject({ status: 200 });
    expect(http.requests).toHaveLength(2);
    expect(http.connections()).toBe(2);
  });

  it("opens a new connection where the service has closed the kept one", async () => {
    const http = await startService((_, response) => answer(response));
    const service = serviceAt(http.url);
    await service.post(BODY, "create", never);
    http.requests[0]?.socket.end();
    await sleep(50);
    expect(await service.post(BODY, "create", never)).toMatchObject({ status: 200 });
    expect(http.requests).toHaveLength(2);
  });
});

describe("localhost", () => {
  it("is this machine, whatever the names of the system say", async () => {
    const http = await startService((_, response) => answer(response));
    const asked: string[] = [];
    const original = dns.lookup;
    onTestFinished(() => void (dns.lookup = original));
    dns.lookup = ((name: string, _options: unknown, done: (error: Error) => void) => {
      asked.push(name);
      done(new Error("resolved elsewhere"));
    }) as unknown as typeof dns.lookup;
    const service = serviceAt(`http://localhost:${http.port}`);
    expect(await service.post(BODY, "update", never)).toMatchObject({ status: 200 });
    expect(asked).toEqual([]);
  });
});

/** Ways to close a connection after an answer that did not announce it. */
const CLOSINGS: readonly (readonly [string, (socket: Socket) => unknown])[] = [
  ["with the answer", (socket) => socket.end(ANSWER)],
  ["once the answer is written", (socket) => socket.write(ANSWER, () => socket.end())],
  ["a turn later", (socket) => socket.write(ANSWER, () => setImmediate(() => socket.end()))],
  ["by a reset", (socket) => socket.write(ANSWER, () => socket.resetAndDestroy())],
];

describe("creates on kept connections", () => {
  it.each(CLOSINGS)("do not end in doubt with a service that closes them %s", async (_, close) => {
    const url = await startRaw((socket) => socket.on("data", () => close(socket)));
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const service = serviceAt(url);
      for (let number = 1; number <= 4; number += 1) {
        expect(await service.post(BODY, "create", never)).toMatchObject({ status: 200 });
      }
    }
  });

  it("do not end in doubt with a service that closes idle connections, and says so", async () => {
    const http = await startService(({ socket }, response) => {
      answer(response, 200, "ok", { "keep-alive": "timeout=1" });
      setTimeout(() => socket.end(), 300);
    });
    const service = serviceAt(http.url);
    for (const pauseMs of [0, 100, 290, 300, 310, 400]) {
      expect(await service.post(BODY, "create", never)).toMatchObject({ status: 200 });
      await sleep(pauseMs);
    }
    expect(http.requests).toHaveLength(6);
  });

  it("are given up once one was lost that had served before", async () => {
    const url = await startRaw((socket) => {
      let requests = 0;
      socket.on("data", () => {
        requests += 1;
        if (requests === 1) socket.write(ANSWER);
        else socket.destroy();
      });
    });
    const service = serviceAt(url);
    const ends = [];
    for (let number = 1; number <= 6; number += 1) ends.push(await service.post(BODY, "create", never));
    expect(ends.map(({ kind }) => kind)).toEqual(["answer", "fault", "answer", "answer", "answer", "answer"]);
  });
});

/** Answers requests alternately with 200 and 503; the first of each pair through `answerFirst`. */
function startTwice(
  answerFirst: (socket: Socket, answer: string) => unknown,
  seen: Set<Socket>,
): Promise<string> {
  let number = 0;
  return startRaw((socket) => {
    socket.setNoDelay();
    socket.on("data", () => {
      seen.add(socket);
      number += 1;
      if (number % 2 === 0) socket.write(answerOf(503));
      else answerFirst(socket, answerOf(200));
    });
  });
}

/** Ways to write an answer twice. */
const TWICE: readonly (readonly [string, (socket: Socket, answer: string) => unknown])[] = [
  ["in one write", (socket, answer) => socket.write(answer + answer)],
  ["in two writes", (socket, answer) => [socket.write(answer), socket.write(answer)]],
  ["with another answer", (socket, answer) => socket.write(`${answer}HTTP/1.1 200 OK\r\n\r\n{"msg":"x"}`)],
  ["with other bytes after it", (socket, answer) => socket.write(`${answer}garbage\r\n\r\n`)],
  [
    "with other bytes in a second write",
    (socket, answer) => [socket.write(answer), socket.write("nonsense")],
  ],
];

describe("a service that answers twice", () => {
  it.each(TWICE)("gives no other request the answer of the one before (%s)", async (_, answerFirst) => {
    const sockets = new Set<Socket>();
    const service = serviceAt(await startTwice(answerFirst, sockets));
    const statuses = [];
    for (let number = 1; number <= 40; number += 1) {
      const end = await service.post(BODY, "update", never);
      statuses.push(end.kind === "answer" ? end.status : end.code);
    }
    expect(statuses).toEqual(Array.from({ length: 40 }, (_unused, at) => (at % 2 === 0 ? 200 : 503)));
    expect(sockets.size).toBe(40);
  });

  it("gets a connection for each request from the first such answer on, also where it came late", async () => {
    const sockets = new Set<Socket>();
    const service = serviceAt(
      await startTwice((socket, answer) => {
        socket.write(answer);
        setTimeout(() => socket.write(answer), 5);
      }, sockets),
    );
    for (let number = 1; number <= 6; number += 1) {
      expect(await service.post(BODY, "update", never)).toMatchObject({
        status: number % 2 === 0 ? 503 : 200,
      });
      await sleep(60);
    }
    expect(sockets.size).toBe(6);
  });
});

describe("createService", () => {
  it("posts the body with the headers of the interface", async () => {
    const http = await startService((_, response) => answer(response));
    const service = serviceAt(`${http.url}/base/`, undefined, { query: ["k=é"], headers: ["X-Team: a"] });
    expect(await service.post(BODY, "update", never)).toMatchObject({
      kind: "answer",
      status: 200,
      msg: "Update Items OK.",
    });
    const [request] = http.requests;
    expect(request).toMatchObject({
      method: "POST",
      path: "/base/api/items/t/?k=%C3%A9",
      body: BODY.toString(),
    });
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": `${BODY.length}`,
      "accept-encoding": "identity",
      "user-agent": "rec-push/test",
      access_token: "secret-token",
      authorization: "Bearer secret-token",
      "x-team": "a",
    });
  });

  it("sends nothing if it is cut off while it compresses", async () => {
    const http = await startService((_, response) => answer(response));
    const controller = new AbortController();
    const end = serviceAt(http.url, undefined, { compress: "gzip" }).post(BODY, "create", controller.signal);
    controller.abort();
    expect(await end).toMatchObject({ stage: "nothing-written" });
    expect(http.requests).toEqual([]);
  });

  it("reads an answer of 64 KiB and gives up longer ones", async () => {
    let length = 64 * 1024;
    const http = await startService((_, response) => {
      response.end(`{"msg":"${"x".repeat(length - '{"msg":""}'.length)}"}`);
    });
    const service = serviceAt(http.url);
    expect(await service.post(BODY, "update", never)).toMatchObject({
      status: 200,
      msg: expect.any(String) as string,
    });
    length += 1;
    expect(await service.post(BODY, "update", never)).toMatchObject({ status: 200, msg: undefined });
  });

  it.each<[what: string, (socket: Socket) => unknown, timeoutMs: number, stage: string]>([
    ["what answers speaks no TLS", (socket) => socket.end("HTTP/1.1 400 Bad\r\n\r\n"), 60_000, "no-tls"],
    ["the handshake is broken off", (socket) => socket.end(), 60_000, "not-connected"],
    ["connecting takes too long", () => undefined, 100, "not-connected"],
  ])("says that nothing was sent if %s", async (_, behave, timeoutMs, stage) => {
    const service = serviceAt((await startRaw(behave)).replace("http:", "https:"), timeoutMs);
    expect(await service.post(BODY, "create", never)).toMatchObject({ stage });
  });

  it("cuts a request off, and says whether any of it had left", async () => {
    const controller = new AbortController();
    const http = await startService(() => controller.abort());
    const service = serviceAt(http.url);
    expect(await service.post(BODY, "create", controller.signal)).toMatchObject({ stage: "cut" });
    expect(await service.post(BODY, "create", controller.signal)).toMatchObject({ stage: "nothing-written" });
    const handshake = new AbortController();
    const url = await startRaw(() => handshake.abort());
    const secure = serviceAt(url.replace("http:", "https:"));
    expect(await secure.post(BODY, "create", handshake.signal)).toMatchObject({ stage: "nothing-written" });
    expect(http.requests).toHaveLength(1);
  });

  it("counts a body that left in part as sent", async () => {
    const service = serviceAt(
      await startRaw((socket) => socket.once("data", () => socket.resetAndDestroy())),
    );
    const large = Buffer.alloc(32 * 1024 * 1024, 0x20);
    expect(await service.post(large, "create", never)).toMatchObject({ stage: "lost" });
  });
});

const MSG = '{"msg":"ok"}';
const ACCEPTED = { kind: "answer", status: 200, msg: "ok" };
/** A success status without a readable body: an update is tried again, a create is in doubt. */
const UNREADABLE = { kind: "answer", status: 200, msg: undefined };
const LOST = { kind: "fault", stage: "lost" };
const UNAUTHORISED = { kind: "answer", status: 401, msg: undefined };
const TIMED_OUT = { kind: "fault", stage: "timeout" };

type Behaviour = (socket: Socket) => unknown;

const OK = "HTTP/1.1 200 OK\r\n";
const raw = (head: string, body = MSG): string => `${head}\r\n\r\n${body}`;
const lengthOf = (length: number | string): string => `${OK}content-length: ${length}`;
const withLength = (status: string, body = MSG): string =>
  raw(`HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}`, body);
const whole = (body: string): string => withLength("200 OK", body);
const CHUNKED = `${OK}transfer-encoding: chunked`;

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
  Buffer.concat([Buffer.from(raw(`${lengthOf(body.length)}\r\ncontent-encoding: gzip`, "")), body]);
const LATIN = Buffer.from(whole('{"msg":"é"}').replace("12", "11"), "latin1");
const COMPRESSED = { ...UNREADABLE, text: expect.stringContaining("compressed") as string };
const INFORMED = `${"HTTP/1.1 102 Processing\r\n\r\n".repeat(100)}${whole(MSG)}`;
const UPGRADE = "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n";
const MUCH = "x".repeat(64_000);

const CASES: readonly (readonly [string, Behaviour, object])[] = [
  // Bodies
  ["a body of 100 MB", pour(raw(lengthOf(100_000_000), ""), MUCH), UNREADABLE],
  ["a body without end", pour(raw(OK.trim(), ""), MUCH), UNREADABLE],
  ["JSON 9,000 levels deep", say(whole('{"msg":'.repeat(9_000))), UNREADABLE],
  ["bytes that are not UTF-8", say(LATIN), { ...ACCEPTED, msg: "\uFFFD" }],
  ["a packed body", say(packed(gzipSync(MSG))), COMPRESSED],
  ["a compression bomb", say(packed(gzipSync(Buffer.alloc(20_000_000)))), UNREADABLE],
  // Lengths
  ["a length too long, and closes", sayAndClose(raw(lengthOf(99))), UNREADABLE],
  ["a length too short", say(raw(lengthOf(5))), UNREADABLE],
  ["a length that is none", say(raw(lengthOf("many"))), LOST],
  ["two lengths", say(raw(`${lengthOf(12)}\r\ncontent-length: 13`)), LOST],
  ["chunks that are none", say(raw(CHUNKED, `zz\r\n${MSG}`)), UNREADABLE],
  ["chunks without the last", sayAndClose(raw(CHUNKED, `c\r\n${MSG}\r\n`)), UNREADABLE],
  // Heads
  ["a header of 100 kB", say(`${OK}x: ${"y".repeat(100_000)}\r\n\r\n`), LOST],
  ["headers without end", pour(OK, "x: y\r\n".repeat(1000)), LOST],
  ["a 100 Continue that was not asked for", say(`HTTP/1.1 100 Continue\r\n\r\n${whole(MSG)}`), LOST],
  ["informational answers before the final one", say(INFORMED), ACCEPTED],
  ["an upgrade to something else", say(UPGRADE), LOST],
  ["a status below 100", say(withLength("000 Nothing")), LOST],
  ["HTTP/1.0", sayAndClose(raw("HTTP/1.0 200 OK")), ACCEPTED],
  ["HTTP/0.9", sayAndClose(MSG), LOST],
  ["zero bytes", say(Buffer.alloc(1000)), LOST],
  // Connections
  ["before it read anything, nothing", (socket) => socket.destroy(), LOST],
  ["after the first bytes, nothing", (socket) => socket.once("data", () => socket.resetAndDestroy()), LOST],
  ["half a status line", sayAndClose("HTTP/1.1 2"), LOST],
  ["half its headers", sayAndClose(`${OK}content-le`), LOST],
  ["half its body", sayAndClose(whole(MSG).slice(0, -5)), UNREADABLE],
  ["half the body of a refusal", sayAndClose(withLength("401 Unauthorized").slice(0, -5)), UNAUTHORISED],
];

const WAITING: typeof CASES = [
  ["a length too long, and waits", say(raw(lengthOf(99))), UNREADABLE],
  [
    "a body that trickles",
    (socket) => (socket.write(raw(lengthOf(99), "")), trickle(MSG)(socket)),
    UNREADABLE,
  ],
  ["nothing at all", () => undefined, TIMED_OUT],
  ["informational answers without end", pour("", "HTTP/1.1 102 Processing\r\n\r\n".repeat(50)), TIMED_OUT],
  ["headers that trickle", trickle(`${OK}x: ${"y".repeat(1000)}`), TIMED_OUT],
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
          if (requests % 2 === 1) socket.write(whole(MSG));
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
      pour(raw(lengthOf(1_000_000_000), ""), MUCH)(socket);
    });
    await serviceAt(url).post(BODY, "create", never);
    await new Promise((resolve) => sent?.once("close", resolve));
    expect(sent?.bytesWritten).toBeLessThan(100_000_000);
  });

  it("an answer before the request was whole is heard", async () => {
    const url = await startRaw((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write(withLength("413 Too Large"));
        setTimeout(() => socket.resume(), 50);
      });
    });
    const large = Buffer.alloc(8 * 1024 * 1024, 0x20);
    expect(await serviceAt(url).post(large, "create", never)).toMatchObject({ status: 413, msg: "ok" });
  });
});
