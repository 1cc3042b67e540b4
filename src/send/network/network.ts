import { BlockList, isIP } from "node:net";
import { isThisMachine, usageProblem } from "../request-headers.ts";

/** How a target is reached: through which proxy, and with which certificates. */
export interface Network {
  /** `undefined`: a direct connection. */
  readonly proxy: Proxy | undefined;
  readonly certificates: Certificates | undefined;
}

/** Certificates as PEM; `undefined`: those that come with Node, and none of our own. */
export interface Certificates {
  /** The authorities that are trusted, and no others. */
  readonly ca: string | undefined;
  /** The certificate that we present, with its key. */
  readonly own: { readonly cert: string; readonly key: () => string } | undefined;
}

/** A direct connection, with the certificates of Node. */
export const PLAIN_NETWORK: Network = { proxy: undefined, certificates: undefined };

/** The environment variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL: the one in the environment as curl reads it, lower case first; `undefined`: a direct connection.
 * There are two differences from curl: a proxy is never used for this machine, because nothing is to leave it then, and
 * `HTTP_PROXY` counts too. Throws usage errors.
 */
export function chooseProxy(
  url: { readonly protocol: string; readonly hostname: string },
  env: Environment,
): Proxy | undefined {
  const except = env["no_proxy"] || env["NO_PROXY"] || "";
  if (isPassedBy(url.hostname, except) || isThisMachine(url.hostname)) return undefined;
  const scheme = url.protocol === "https:" ? "https" : "http";
  const variables = [`${scheme}_proxy`, `${scheme.toUpperCase()}_PROXY`, "all_proxy", "ALL_PROXY"];
  const name = variables.find((variable) => env[variable]);
  return name === undefined ? undefined : parseProxy(env[name]!, name);
}

/**
 * True if a list such as `NO_PROXY` excludes a host from the proxy, as curl reads it: names separated by commas or
 * spaces, each including all names below it, with or without a leading dot; addresses and networks (`10.0.0.0/8`);
 * `*` alone for all. The host is written as URL writes it.
 */
export function isPassedBy(hostname: string, list: string): boolean {
  const host = bare(hostname);
  const items = list.split(/[\s,]+/).filter((item) => item !== "");
  if (items.length === 1 && items[0] === "*") return true;
  return isIP(host) === 0
    ? items.some((item) => isBelow(host, bare(item)))
    : items.some((item) => isInside(host, item));
}

/** In lower case, without brackets and without a dot at either end. */
function bare(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/^\.|\.$/g, "");
}

function isBelow(host: string, name: string): boolean {
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

function isInside(address: string, item: string): boolean {
  const [network = "", bits] = item.split("/");
  const start = network.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(start);
  if (family === 0) return false;
  const length = bits === undefined ? (family === 4 ? 32 : 128) : Number(bits);
  if (!Number.isInteger(length) || length < 0 || length > (family === 4 ? 32 : 128)) return false;
  const inside = new BlockList();
  inside.addSubnet(start, length, family === 4 ? "ipv4" : "ipv6");
  return inside.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/** A proxy on the way to the service. Its password is returned by functions, so that printing it shows none. */
export interface Proxy {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The option or variable that names it. */
  readonly from: string;
  /** The header value with user and password; `undefined` if there are none. */
  readonly authorization: () => string | undefined;
  /** Every part of it that must not be printed. */
  readonly secrets: () => readonly string[];
}

/**
 * Reads the address of a proxy, `http://` by default, with or without `user:password@`. `from` is the variable
 * that gave it. Throws usage errors, which never quote the user part.
 */
export function parseProxy(text: string, from: string): Proxy {
  const address = text.trim();
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  const scheme = url?.protocol ?? "";
  if (url === undefined || (scheme !== "http:" && scheme !== "https:") || url.hostname === "") {
    throw usageProblem(
      "bad-proxy",
      `${from} is not the address of an HTTP proxy`,
      "write it as http://HOST:PORT, without a path (SOCKS is not supported); the host of the service in NO_PROXY connects directly",
    );
  }
  const [user, password] = [decode(url.username), decode(url.password)];
  const hasUser = user !== "" || password !== "";
  const basic = Buffer.from(`${user}:${password}`).toString("base64");
  return {
    origin: url.origin,
    from,
    authorization: () => (hasUser ? `Basic ${basic}` : undefined),
    secrets: () => (hasUser ? [password, url.password, basic].filter((secret) => secret !== "") : []),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
