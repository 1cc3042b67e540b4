import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { sleep } from "./support/http-service.ts";
import { serviceAt, startRaw } from "./support/raw-service.ts";

const BODY = Buffer.from('[{"cle":"1"}]');
const never = new AbortController().signal;

function answerOf(status: number): string {
  return `HTTP/1.1 ${status} X\r\ncontent-length: 12\r\n\r\n{"msg":"ok"}`;
}

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
const WAYS: readonly (readonly [string, (socket: Socket, answer: string) => unknown])[] = [
  ["in one write", (socket, answer) => socket.write(answer + answer)],
  ["in two writes", (socket, answer) => [socket.write(answer), socket.write(answer)]],
  ["with other bytes after it", (socket, answer) => [socket.write(answer), socket.write("nonsense")]],
];

describe("a service that answers twice", () => {
  it.each(WAYS)("gives no other request the answer of the one before (%s)", async (_, answerFirst) => {
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
