import { describe, expect, it } from "vitest";
import { answer, startService } from "./support/http-service.ts";
import { serviceAt, startRaw } from "./support/raw-service.ts";

const BODY = Buffer.from('[{"cle":"1"}]');
const never = new AbortController().signal;

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

  it("compresses the body if asked to, and sends the compressed length", async () => {
    const http = await startService((_, response) => answer(response));
    const body = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, cle) => ({ cle: `${cle}` }))));
    const service = serviceAt(http.url, undefined, { compress: "gzip" });
    expect(await service.post(body, "update", never)).toMatchObject({ kind: "answer", status: 200 });
    const [request] = http.requests;
    expect(request?.headers["content-encoding"]).toBe("gzip");
    expect(Number(request?.headers["content-length"])).toBeLessThan(body.length / 3);
    expect(request?.body).toBe(body.toString());
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

  it.each([
    ["what answers speaks no TLS", "HTTP/1.1 400 Bad\r\n\r\n", "no-tls", /does not speak https$/],
    ["the handshake is broken off", "", "not-connected", /./],
  ])("says that nothing was sent if %s", async (_, answer, stage, message) => {
    const url = await startRaw((socket) => socket.end(answer));
    const service = serviceAt(url.replace("http:", "https:"));
    const told = { stage, message: expect.stringMatching(message) as string };
    expect(await service.post(BODY, "create", never)).toMatchObject(told);
  });

  it("says that nothing was sent when connecting takes too long", async () => {
    const url = await startRaw(() => undefined);
    const service = serviceAt(url.replace("http:", "https:"), 100);
    expect(await service.post(BODY, "create", never)).toMatchObject({ stage: "not-connected" });
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
