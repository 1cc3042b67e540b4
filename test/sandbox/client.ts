import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

export { openSandbox as sandboxFor } from "../support/push-to-sandbox.ts";

export interface Answered {
  readonly status: number;
  readonly msg: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Posts records, or a string or bytes as they are. */
export async function post(
  sandbox: Sandbox,
  records: unknown,
  { headers = {}, path = "/api/items/commandes/" }: { headers?: Record<string, string>; path?: string } = {},
): Promise<Answered> {
  const raw = typeof records === "string" || records instanceof Uint8Array;
  const response = await fetch(sandbox.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", access_token: sandbox.token, ...headers },
    body: raw ? (records as string) : JSON.stringify(records),
    redirect: "manual",
  });
  return answered(response);
}

/** True if there was no answer: the connection was cut, refused, or given up. */
export async function isCut(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => false,
    () => true,
  );
}

export async function get(sandbox: Sandbox, path: string): Promise<Answered> {
  return answered(await fetch(sandbox.url + path));
}

async function answered(response: Response): Promise<Answered> {
  const body = await response.text();
  let msg = "";
  if (response.headers.get("content-type") === "application/json") {
    msg = (JSON.parse(body) as { msg?: string }).msg ?? "";
  }
  return { status: response.status, msg, headers: response.headers, body };
}
