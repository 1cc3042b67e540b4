import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Input, PushEvent, PushOptions, Run } from "../../src/library/index.ts";
import { push } from "../../src/library/index.ts";
import { startServer } from "../support/plain-server.ts";
import { makeStateHome } from "../support/run-main.ts";

/** A service that accepts everything and keeps the bodies. */
export async function openRecorder() {
  const bodies: string[] = [];
  const { url, close } = await startServer((_, body, response) => {
    bodies.push(body.toString());
    response.setHeader("content-type", "application/json").end('{"msg":"Update Items OK."}');
  });
  onTestFinished(close);
  return { url, token: "a-token-of-tests", bodies };
}

/** An environment in which no config and no run of this machine counts. */
export function makeEnv(home: string = makeStateHome()): Record<string, string> {
  return { XDG_STATE_HOME: home, XDG_CONFIG_HOME: join(home, "config") };
}

/** A push into `commandes` that sends all columns. */
export function pushInto(
  { url, token }: { readonly url: string; readonly token: string },
  input: Input,
  options: PushOptions = {},
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
