import type { IncomingMessage } from "node:http";

import { RecPushError } from "../model/failure.ts";
import type { SandboxContext } from "./context.ts";
import { parseFault } from "./faults.ts";
import { isLoopback } from "./loopback.ts";
import { readBody } from "./read-body.ts";
import { answerJson, answerMsg, type Answer, type Reply } from "./reply.ts";
import { specified } from "./specified.ts";
import { hasToken } from "./token.ts";

const faultsLimitBytes = 65_536;

/**
 * `/sandbox/faults`: GET lists the rules, POST with a JSON array of texts replaces them, DELETE removes them. From this
 * machine only.
 */
export async function serveFaults(context: SandboxContext, request: IncomingMessage): Promise<Reply> {
  if (request.method === "GET" || request.method === "HEAD") return answerJson(200, context.faults.active());
  if (request.method !== "POST" && request.method !== "DELETE") {
    return answerMsg(405, "Faults are listed with GET, set with POST and ended with DELETE.", {
      allow: "GET, HEAD, POST, DELETE",
    });
  }
  if (!isLoopback(request.socket.remoteAddress ?? "")) {
    return answerMsg(403, "Faults are set from the machine of the sandbox only.");
  }
  if (!hasToken(request.headers, context.token)) {
    return answerMsg(specified.invalidToken.status, specified.invalidToken.msg);
  }
  if (request.method === "DELETE") return setFaults(context, []);
  const body = await readBody(request, faultsLimitBytes);
  if (body.kind === "answer") return body;
  const texts = textsOf(body.text);
  if (texts === undefined)
    return answerMsg(400, 'The body must be a JSON array of texts: ["status=503,times=2"].');
  return setFaults(context, texts);
}

function setFaults(context: SandboxContext, texts: readonly string[]): Answer {
  try {
    context.faults.set(texts.map(parseFault));
  } catch (error) {
    if (error instanceof RecPushError) return answerMsg(400, error.message);
    throw error;
  }
  return answerJson(200, context.faults.active());
}

function textsOf(body: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}
