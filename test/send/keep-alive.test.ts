import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { answer, sleep, startService } from "./support/http-service.ts";
import { serviceAt, startRaw } from "./support/raw-service.ts";

const BODY = Buffer.from('[{"num_commande":"1"}]');
const never = new AbortController().signal;
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"msg":"ok"}';

/** Ways to close a connection after an answer that did not announce it. */
const WAYS: readonly (readonly [string, (socket: Socket) => unknown])[] = [
  ["with the answer", (socket) => socket.end(ANSWER)],
  ["once the answer is written", (socket) => socket.write(ANSWER, () => socket.end())],
  ["a turn later", (socket) => socket.write(ANSWER, () => setImmediate(() => socket.end()))],
  ["by a reset", (socket) => socket.write(ANSWER, () => socket.resetAndDestroy())],
];

describe("creates on kept connections", () => {
  it.each(WAYS)("do not end in doubt with a service that closes them %s", async (_, close) => {
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
