import dns from "node:dns";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer, sleep, startService } from "./support/http-service.ts";
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

  it("calls a request lost when the kept connection goes away under it", async () => {
    const http = await startService(({ number, socket }, response) => {
      if (number === 2) socket.destroy();
      else answer(response);
    });
    const service = serviceAt(http.url);
    await service.post(BODY, "create", never);
    expect(await service.post(BODY, "create", never)).toMatchObject({ stage: "lost" });
    expect(await service.post(BODY, "create", never)).toMatchObject({ status: 200 });
    expect(http.requests).toHaveLength(3);
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
