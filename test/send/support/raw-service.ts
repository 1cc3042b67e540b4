import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createService, type Service } from "../../../src/send/service.ts";
import { createTarget, type TargetOptions } from "../../../src/send/target.ts";

export function serviceAt(
  url: string,
  timeoutMs?: number,
  more: Partial<TargetOptions> & { readonly compress?: "gzip" } = {},
): Service {
  const target = createTarget({ url, table: "t", token: "secret-token", ...more });
  const service = createService(target, { timeoutMs, userAgent: "rec-push/test", compress: more.compress });
  onTestFinished(() => service.close());
  return service;
}

/** A service that speaks raw bytes. */
export async function startRaw(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onTestFinished(() => {
      socket.destroy();
    });
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
