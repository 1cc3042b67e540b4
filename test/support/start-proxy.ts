import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What the proxy does with a CONNECT: a status refuses it, `cut` ends it after its 200, a number of bytes cuts it later. */
export type ProxyAct = "pass" | "hang" | "cut" | { readonly status: number } | { readonly bytes: number };

interface ProxyOptions {
  /** The port of this machine to which all hosts lead. */
  readonly port: number;
  /** `user:password`; requests without them are answered with 407. */
  readonly credentials?: string;
  /** What to do with the n-th CONNECT, counted from 1. */
  readonly act?: (number: number) => ProxyAct;
}

/** A proxy on loopback that leads every host name to one service; closed at the end of the test. */
export interface TestProxy {
  readonly port: number;
  /** Host and port, without a scheme. */
  readonly address: string;
  /** Targets of CONNECT. */
  readonly asked: string[];
}

export async function startProxy({
  port,
  credentials,
  act = () => "pass",
}: ProxyOptions): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const isKnown = ({ headers }: IncomingMessage): boolean =>
    expected === undefined || headers["proxy-authorization"] === expected;
  const server = createServer();
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    client.on("error", () => undefined);
    const does = act(asked.push(request.url ?? ""));
    if (!isKnown(request)) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    if (does === "hang") return;
    if (typeof does === "object" && "status" in does) {
      client.end(`HTTP/1.1 ${does.status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (does === "cut") {
      setTimeout(() => client.destroy(), 20);
      return;
    }
    const onward = connect(port, "127.0.0.1");
    sockets.add(onward);
    onward.on("error", () => client.destroy());
    onward.on("close", () => client.destroy());
    client.on("close", () => onward.destroy());
    let bytes = 0;
    client.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (does !== "pass" && bytes > does.bytes) client.destroy();
      else onward.write(chunk);
    });
    onward.pipe(client);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const own = (server.address() as AddressInfo).port;
  return { port: own, address: `127.0.0.1:${own}`, asked };
}
