import { usageProblem } from "../usage-problem.ts";

/** A proxy on the way to the service. Its password is returned by functions, so that printing it shows none. */
export interface Proxy {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The option or the variable that names it. */
  readonly from: string;
  /** The header that carries user and password; `undefined` without them. */
  readonly authorization: () => string | undefined;
  /** Everything of it that must not be printed. */
  readonly secrets: () => readonly string[];
}

/** The port of a proxy that names none, as curl has it. */
const DEFAULT_PORT = 1080;

/**
 * Reads the address of a proxy, `http://` unless said, with or without `user:password@`. `from` names the option or the
 * variable. Throws usage problems, which never quote the user's part.
 */
export function parseProxy(text: string, from: string): Proxy {
  const address = text.trim();
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  const scheme = url?.protocol ?? "";
  if (url !== undefined && scheme.startsWith("socks")) {
    throw usageProblem(
      "bad-proxy",
      `${from} names a SOCKS proxy, and rec-push speaks to HTTP proxies only`,
      "--proxy http://HOST:PORT names another one, --proxy none connects straight",
    );
  }
  if (url === undefined || (scheme !== "http:" && scheme !== "https:") || url.hostname === "") {
    throw usageProblem(
      "bad-proxy",
      `${from} is not the address of a proxy`,
      "write it as http://HOST:PORT, without a path; --proxy none connects straight",
    );
  }
  const isTls = scheme === "https:";
  const [user, password] = [decode(url.username), decode(url.password)];
  const hasUser = user !== "" || password !== "";
  const basic = Buffer.from(`${user}:${password}`).toString("base64");
  const port = portOf(full) ?? (isTls ? 443 : DEFAULT_PORT);
  return {
    isTls,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    origin: `${scheme}//${url.hostname}:${port}`,
    from,
    authorization: () => (hasUser ? `Basic ${basic}` : undefined),
    secrets: () => (hasUser ? [password, url.password, basic].filter((secret) => secret !== "") : []),
  };
}

/** URL leaves the usual port of a scheme out, but it is not the usual one of proxies. */
function portOf(address: string): number | undefined {
  const authority = address.replace(/^[^/]*\/\//, "").replace(/[/?#].*$/s, "");
  const digits = /:(\d+)$/.exec(authority)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
