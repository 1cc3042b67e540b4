import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A server on loopback. */
export interface PlainServer {
  readonly url: string;
  readonly port: number;
  /** The number of connections opened so far. */
  readonly connections: () => number;
  /** Resolves when no more requests of a client that has ended can arrive. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts a server that hands on each request once it has all of it. The caller closes it. */
export async function startServer(
  serve: (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown,
): Promise<PlainServer> {
  const sockets = new Set<Socket>();
  const whenEmpty: (() => void)[] = [];
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => void serve(request, Buffer.concat(chunks), response));
  });
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const resolve of whenEmpty.splice(0)) resolve();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    settled: async () => {
      if (sockets.size > 0) await new Promise<void>((resolve) => whenEmpty.push(resolve));
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
