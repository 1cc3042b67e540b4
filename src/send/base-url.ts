import { isThisMachine } from "./this-machine.ts";
import { usageProblem } from "./usage-problem.ts";

/**
 * Parses `--url`: the address before `/api/items/`. Throws a usage error for: not http or https, user or password
 * inside, query or fragment, plain http to another machine.
 */
export function parseBaseUrl(text: string, allowHttp: boolean): URL {
  const url = parse(text);
  if (url.username !== "" || url.password !== "") {
    throw usageProblem(
      "url-credentials",
      "the URL holds a user name or a password, which would show up wherever the URL does",
      `take them out of --url; a gateway's go into a header: -H "Authorization: Basic ..." with --auth access_token`,
    );
  }
  if (url.search !== "" || text.includes("#")) {
    throw usageProblem(
      "url-query",
      `the URL ${url.origin}${url.pathname} has a query or a fragment; it must be only the address before /api/items/`,
      "give the query with --query name=value",
    );
  }
  const tooLong = /\/api\/(oauth2\/)?(items|access_token)(\/.*)?$/;
  if (tooLong.test(url.pathname)) {
    throw usageProblem(
      "url-too-long",
      `the URL ${url.origin}${url.pathname} already holds a path below /api/, which rec-push adds itself`,
      `--url ${url.origin}${url.pathname.replace(tooLong, "")} --table NAME`,
    );
  }
  if (url.protocol === "http:" && !allowHttp && !isThisMachine(url.hostname)) {
    throw usageProblem(
      "plain-http",
      `the token would travel unencrypted to ${url.origin}`,
      "use an https URL, or --allow-http if the network in between is your own",
    );
  }
  return url;
}

function parse(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw usageProblem(
    "bad-url",
    `the URL${shownIfPlain(text.trim())} does not begin with https:// (or http:// for this machine) and a host name`,
    "--url https://host.example, or REC_PUSH_URL",
  );
}

/** A host name without a scheme, or with another one, is shown; any other text may hold a secret somewhere. */
function shownIfPlain(text: string): string {
  const isPlain = /^([a-z]{1,8}:\/\/)?[a-z0-9-]{1,30}(\.[a-z0-9-]{1,30})+(:\d{1,5})?\/?$/i.test(text);
  return isPlain ? ` ${JSON.stringify(text)}` : ", whose text is not shown, because it may hold a password,";
}
