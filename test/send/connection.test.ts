import dns from "node:dns";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer, sleep, startService } from "./support/http-service.ts";
import { serviceAt } from "./support/raw-service.ts";

const BODY = Buffer.from('[{"cle":"1"}]');
const never = new AbortController().signal;

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
