import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Input, OwnOptions, PushEvent, PushOptions, Run } from "../../src/library/index.ts";
import { push } from "../../src/library/index.ts";
import { makeStateHome } from "../support/run-main.ts";

/** A service that accepts everything and keeps the bodies. */
export async function openRecorder() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      bodies.push(body);
      response.setHeader("content-type", "application/json").end('{"msg":"Update Items OK."}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, token: "a-token-of-tests", bodies };
}

/** An environment in which no config and no run of this machine counts. */
export function makeEnv(home: string = makeStateHome()): Record<string, string> {
  return { XDG_STATE_HOME: home, XDG_CONFIG_HOME: join(home, "config") };
}

/** A push into `commandes` that sends all columns. */
export function pushInto(
  { url, token }: { readonly url: string; readonly token: string },
  input: Input,
  options: PushOptions & OwnOptions = {},
): Run {
  const env = options.env ?? makeEnv();
  return push(input, { table: "commandes", otherColumns: "send", url, token, ...options, env });
}

/** The events of a run to its end, and the error that it threw. */
export async function endOf(
  run: Run,
): Promise<{ readonly events: readonly PushEvent[]; readonly error: unknown }> {
  const events: PushEvent[] = [];
  try {
    for await (const event of run) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}
