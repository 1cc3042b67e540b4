import type { FailureCode } from "../model/failure-codes.ts";
import { RecPushError } from "../model/failure.ts";

/** Which headers carry the token: some proxies drop names with an underscore, so both is the default. */
export type Auth = "both" | "access_token" | "bearer";

/** The settings that decide the headers of every request. */
interface HeaderOptions {
  readonly token: string;
  readonly auth: Auth;
  /** As given with -H: `Name: value`. */
  readonly custom: readonly string[];
  /** The header that carries the database version, if a header does. */
  readonly version: { readonly name: string; readonly value: string } | undefined;
}

/** rec-push relies on these for what it sends and for how it reads the answer. */
const OWN_HEADERS = new Set([
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "accept-encoding",
  "host",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
  "te",
  "trailer",
  "idempotency-key",
]);

/** Header names and values in turn. Throws usage errors, which name headers and never values. */
export function buildHeaders({ token, auth, custom, version }: HeaderOptions): string[] {
  const headers = ["content-type", "application/json", "accept-encoding", "identity"];
  const taken = new Set<string>();
  if (!isHeaderValue(token) || token.trim() !== token || token === "") {
    throw usageProblem(
      "bad-token",
      "the token is empty, or holds a line end, an outer space or another character that no header can carry",
      "check REC_PUSH_TOKEN or the file of --token-file",
    );
  }
  if (auth !== "bearer") headers.push("access_token", token);
  if (auth !== "access_token") headers.push("authorization", `Bearer ${token}`);
  if (version !== undefined) headers.push(checkName(version.name, "--db-version-in"), checkValue(version));
  for (let i = 4; i < headers.length; i += 2) taken.add(headers[i] ?? "");
  for (const header of custom) {
    const { name, value } = parseHeader(header);
    if (taken.has(name)) throw takenHeader(name);
    headers.push(name, value);
  }
  if (!headers.includes("accept")) headers.push("accept", "application/json");
  return headers;
}

/** Splits `Name: value`; the name is returned in lower case. */
export function parseHeader(header: string): { readonly name: string; readonly value: string } {
  const colon = header.indexOf(":");
  if (colon < 1) {
    throw usageProblem("bad-header", "a header given with -H has no name before a colon", `-H "Name: value"`);
  }
  const name = checkName(header.slice(0, colon).trim(), "-H");
  const value = header.slice(colon + 1).trim();
  return { name, value: checkValue({ name, value }) };
}

function checkName(name: string, option: string): string {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(lower)) {
    throw usageProblem(
      "bad-header",
      `${JSON.stringify(name)} is not a header name`,
      `${option}: letters, digits, - and _`,
    );
  }
  if (OWN_HEADERS.has(lower)) {
    throw usageProblem(
      "bad-header",
      `the header ${lower} is set by rec-push and cannot be replaced`,
      `leave it out of ${option}`,
    );
  }
  return lower;
}

function checkValue({ name, value }: { readonly name: string; readonly value: string }): string {
  if (isHeaderValue(value)) return value;
  throw usageProblem(
    "bad-header",
    `the value of the header ${name.toLowerCase()} holds a line end or another character that no header can carry`,
    "use plain ASCII text",
  );
}

/** RFC 9110, 5.5: visible characters, space and tab; bytes above 127 as Latin-1. */
function isHeaderValue(value: string): boolean {
  return /^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value);
}

function takenHeader(name: string): Error {
  if (name === "authorization") {
    return usageProblem(
      "bad-header",
      "the header authorization already carries the token",
      "--auth access_token sends the token in the other header only and leaves authorization to -H",
    );
  }
  if (name === "access_token") {
    return usageProblem(
      "bad-header",
      "the header access_token already carries the token",
      "--auth bearer sends the token in authorization only",
    );
  }
  return usageProblem(
    "bad-header",
    `the header ${name} already carries the database version`,
    "leave it out of -H, or choose another place with --db-version-in",
  );
}

/** A wrong option or setting; nothing was sent. The message never quotes a value that may be secret. */
export function usageProblem(code: FailureCode, message: string, hint: string): RecPushError {
  return new RecPushError(code, message, { hint });
}

/**
 * True for 127.0.0.0/8, ::1 and localhost, as written by URL (which normalises numbers), with or without brackets.
 */
export function isThisMachine(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname === "[::1]" ||
    hostname === "::1" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
