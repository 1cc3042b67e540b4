import { usageProblem } from "../usage-problem.ts";

/** A proxy on the way to the service. Its password is returned by functions, so that printing it shows none. */
export interface Proxy {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The option or variable that names it. */
  readonly from: string;
  /** The header value with user and password; `undefined` if there are none. */
  readonly authorization: () => string | undefined;
  /** Every part of it that must not be printed. */
  readonly secrets: () => readonly string[];
}

/** The port for a proxy that names none, as in curl. */
const DEFAULT_PORT = 1080;

/**
 * Reads the address of a proxy, `http://` by default, with or without `user:password@`. `from` is the option or
 * variable that gave it. Throws usage errors, which never quote the user part.
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
      "--proxy http://HOST:PORT names another one, --proxy none connects directly",
    );
  }
  if (url === undefined || (scheme !== "http:" && scheme !== "https:") || url.hostname === "") {
    throw usageProblem(
      "bad-proxy",
      `${from} is not the address of a proxy`,
      "write it as http://HOST:PORT, without a path; --proxy none connects directly",
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

/** URL omits a scheme's default port, but that is not the default port of proxies. */
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
