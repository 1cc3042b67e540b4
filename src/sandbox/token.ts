import type { IncomingHttpHeaders } from "node:http";

/** True if the request has the token in `access_token`, as Bearer, or in both; a wrong token in one makes it false. */
export function hasToken(headers: IncomingHttpHeaders, token: string): boolean {
  const given: (string | undefined)[] = [];
  if (headers["access_token"] !== undefined) given.push(String(headers["access_token"]));
  if (headers.authorization !== undefined) given.push(/^bearer +(.*)$/i.exec(headers.authorization)?.[1]);
  return given.length > 0 && given.every((one) => one === token);
}

/** The Bearer token of a request. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization ?? "")?.[1];
}

/** True if a reader has the token as above, or as the password of HTTP Basic, which browsers ask for. */
export function hasReadingToken(headers: IncomingHttpHeaders, token: string): boolean {
  const basic = /^basic +(.*)$/i.exec(headers.authorization ?? "")?.[1];
  if (basic === undefined) return hasToken(headers, token);
  const pair = Buffer.from(basic, "base64").toString("utf8");
  return pair.slice(pair.indexOf(":") + 1) === token;
}
