import { createHash } from "node:crypto";
import { type Network, PLAIN_NETWORK } from "./network/network.ts";
import { type Auth, buildHeaders, isThisMachine, parseHeader, usageProblem } from "./request-headers.ts";

/** The options that say where records go and how the service is addressed. */
export interface TargetOptions {
  /** The address before `/api/items/`, with or without a path. */
  readonly url: string;
  readonly table: string;
  /** Required unless there is a {@link client}. */
  readonly token?: string;
  /** The source of the token, for people. */
  readonly tokenFrom?: string;
  /** If given, tokens are fetched (OAuth 2.0), and records go to the path for such tokens. */
  readonly client?: ClientOptions;
  /** True if the token is no secret: that of a sandbox is printed. */
  readonly isTokenPublic?: boolean;
  readonly auth?: Auth;
  /** As given with -H: `Name: value`. */
  readonly headers?: readonly string[];
  /** As given with --query: `name=value`. */
  readonly query?: readonly string[];
  readonly dbVersion?: string;
  /** `header:NAME`, `query:NAME` or `body:NAME`; the default is `header:database_version`. */
  readonly dbVersionIn?: string;
  /** `array`: the bare array; `data`: an object with the array in its member `data`. */
  readonly body?: "array" | "data";
  readonly allowHttp?: boolean;
  /** A direct connection by default. */
  readonly network?: Network;
}

/** One table of one service. Secrets are returned by functions, so that printing a target shows none of them. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  /**
   * The table's path without query, which identifies it for runs and ledger: `/api/items/orders/`, with OAuth too.
   */
  readonly path: string;
  readonly table: string;
  readonly dbVersion: string | undefined;
  /** The body's JSON text before the first record and after the last one. */
  readonly envelope: { readonly before: string; readonly after: string };
  /** The path that records are posted to. */
  readonly sentPath: string;
  /** Path and query as they are sent. */
  readonly requestPath: () => string;
  /** Header names and values in turn; `token` is required if the target has a {@link client}. */
  readonly requestHeaders: (token?: string) => readonly string[];
  /** Who asks for tokens; `undefined` if the token is given. */
  readonly client: Client | undefined;
  /** The source of the token; `undefined` for a token that is fetched, or a sandbox in this process. */
  readonly tokenFrom: string | undefined;
  readonly network: Network;
  /** Names of the query parameters, in order. */
  readonly queryNames: readonly string[];
  /**
   * Hex SHA-256 that distinguishes --query parameters without revealing their values; `undefined` if there are none.
   */
  readonly queryHash: string | undefined;
  /** Everything that must not be printed: the token unless it is public, and the values of -H and --query. */
  readonly secrets: () => readonly string[];
}

/** Determines where and how to send; throws {@link RecPushError} of kind `usage`. */
export function createTarget(options: TargetOptions): Target {
  const { allowHttp = false, network = PLAIN_NETWORK } = options;
  const url = parseBaseUrl(options.url, allowHttp);
  const custom = options.headers ?? [];
  const given = (options.query ?? []).map(parseQuery);
  const version = placeVersion(options);
  const query = version?.place === "query" ? [...given, version] : given;
  const client = options.client && createClient(url, options.client);
  const inHeader = version?.place === "header" ? version : undefined;
  const { auth = client === undefined ? "both" : "bearer" } = options;
  const headersWith = (token: string): string[] => buildHeaders({ token, auth, custom, version: inHeader });
  // Wrong headers are found before a token is requested.
  const headers = headersWith(client === undefined ? (options.token ?? "") : "none-yet");
  const base = url.pathname.replace(/(?<!\/)\/+$/, "");
  const table = encodeTable(options.table);
  const path = `${base}/api/items/${table}/`;
  const sentPath = client === undefined ? path : `${base}/api/oauth2/items/${table}/`;
  const search = query
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const inBody =
    version?.place === "body" ? `,${JSON.stringify(version.name)}:${JSON.stringify(version.value)}` : "";
  const isData = options.body === "data";
  return {
    origin: url.origin,
    path,
    table: options.table,
    dbVersion: version?.value,
    envelope: isData ? { before: '{"data":[', after: `]${inBody}}` } : { before: "[", after: "]" },
    sentPath,
    requestPath: () => (search === "" ? sentPath : `${sentPath}?${search}`),
    requestHeaders: (token) => (token === undefined ? headers : headersWith(token)),
    client,
    tokenFrom: options.tokenFrom,
    network,
    queryNames: query.map(({ name }) => name),
    queryHash: given.length === 0 ? undefined : hashQuery(url.origin + path, given),
    secrets: () => [
      ...(options.isTokenPublic === true || options.token === undefined ? [] : [options.token]),
      ...(client === undefined ? [] : [...client.issued, client.secret()]),
      ...custom.flatMap((header) => valueAndCredentials(parseHeader(header).value)),
      ...given.map(({ value }) => value),
      ...(network.proxy?.secrets() ?? []),
    ],
  };
}

/** `Basic dXNlcjo=` is secret as a whole, and so is the part after the scheme. */
function valueAndCredentials(value: string): string[] {
  const [, credentials] = /^[A-Za-z-]+ +(\S+)$/.exec(value) ?? [];
  return credentials === undefined ? [value] : [value, credentials];
}

/** The target's address for people: values of the query are not shown. */
export function displayUrl({ origin, sentPath, queryNames }: Target): string {
  const query = queryNames.map((name) => `${encodeURIComponent(name)}=…`).join("&");
  return origin + sentPath + (query === "" ? "" : `?${query}`);
}

/** The order of parameters does not matter; the address salts the hash. */
function hashQuery(
  address: string,
  given: readonly { readonly name: string; readonly value: string }[],
): string {
  const pairs = given.map(({ name, value }) => JSON.stringify([name, value])).sort();
  return createHash("sha256")
    .update(JSON.stringify([address, ...pairs]))
    .digest("hex");
}

function encodeTable(table: string): string {
  if (table.trim() === "" || table === "." || table === ".." || hasLoneSurrogate(table)) {
    throw usageProblem(
      "bad-option-value",
      `${JSON.stringify(table)} is not a table name`,
      "--table NAME, as the service names the table",
    );
  }
  return encodeURIComponent(table);
}

function parseQuery(pair: string): { readonly name: string; readonly value: string } {
  const equals = pair.indexOf("=");
  if (equals < 1 || hasLoneSurrogate(pair)) {
    throw usageProblem("bad-option-value", "a query parameter has no name before a =", "--query name=value");
  }
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
}

interface VersionPlace {
  readonly place: "header" | "query" | "body";
  readonly name: string;
  readonly value: string;
}

function placeVersion({ dbVersion, dbVersionIn, body }: TargetOptions): VersionPlace | undefined {
  const { place, name } = parsePlace(dbVersionIn ?? "header:database_version");
  if (dbVersion === undefined) {
    if (dbVersionIn === undefined) return undefined;
    throw usageProblem(
      "bad-option-value",
      "--db-version-in says where, but no version is given",
      "--db-version V",
    );
  }
  if (dbVersion.trim() === "" || hasLoneSurrogate(dbVersion)) {
    throw usageProblem("bad-option-value", "the database version is empty or not text", "--db-version V");
  }
  if (place === "body" && (body !== "data" || name === "data")) {
    throw usageProblem(
      "bad-option-value",
      "the database version can be in the body only if the body is an object, beside its member data",
      "--body data --db-version-in body:NAME",
    );
  }
  return { place, name, value: dbVersion };
}

function parsePlace(text: string): Pick<VersionPlace, "place" | "name"> {
  const colon = text.indexOf(":");
  const place = text.slice(0, Math.max(0, colon));
  const name = text.slice(colon + 1);
  if (
    (place !== "header" && place !== "query" && place !== "body") ||
    name.trim() === "" ||
    hasLoneSurrogate(name)
  ) {
    throw usageProblem(
      "bad-option-value",
      `${JSON.stringify(text)} is not a place for the database version`,
      "--db-version-in header:NAME, query:NAME or body:NAME",
    );
  }
  return { place, name };
}

/** Such a text cannot be written in UTF-8. */
function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

/**
 * Parses `--url`: the address before `/api/items/`. Throws a usage error for: not http or https, user or password
 * inside, query or fragment, plain http to another machine.
 */
function parseBaseUrl(text: string, allowHttp: boolean): URL {
  const url = parse(text);
  if (url.username !== "" || url.password !== "") {
    throw usageProblem(
      "bad-url",
      "the URL holds a user name or a password, which would show up wherever the URL does",
      `take them out of --url; a gateway's go into a header: -H "Authorization: Basic ..." with --auth access_token`,
    );
  }
  if (url.search !== "" || text.includes("#")) {
    throw usageProblem(
      "bad-url",
      `the URL ${url.origin}${url.pathname} has a query or a fragment; it must be only the address before /api/items/`,
      "give the query with --query name=value",
    );
  }
  const tooLong = /\/api\/(oauth2\/)?(items|access_token)(\/.*)?$/;
  if (tooLong.test(url.pathname)) {
    throw usageProblem(
      "bad-url",
      `the URL ${url.origin}${url.pathname} already holds a path below /api/, which rec-push adds itself`,
      `--url ${url.origin}${url.pathname.replace(tooLong, "")} --table NAME`,
    );
  }
  if (url.protocol === "http:" && !allowHttp && !isThisMachine(url.hostname)) {
    throw usageProblem(
      "bad-url",
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

/** The options of OAuth 2.0 client credentials. */
interface ClientOptions {
  readonly id: string;
  readonly secret: string;
  /** The source of the secret, for people. */
  readonly secretFrom?: string;
  /** Relative to the base URL; `/api/oauth2/access_token/` by default. */
  readonly tokenPath?: string;
}

/** Who asks for tokens, and where. Secrets are returned by functions, so that printing a client shows none. */
export interface Client {
  readonly id: string;
  readonly secret: () => string;
  readonly secretFrom: string | undefined;
  /** The path of the token endpoint, at the target's origin. */
  readonly tokenPath: string;
  /** The latest tokens, which must not be printed. */
  readonly issued: readonly string[];
  /** To be called with every token that is issued. */
  readonly note: (token: string) => void;
}

const DEFAULT_PATH = "/api/oauth2/access_token/";
/** Older tokens have expired, and no answer is that late. */
const MAX_ISSUED = 20;

/** Throws a usage error for a path that leaves the service. */
function createClient(
  base: URL,
  { id, secret, secretFrom, tokenPath = DEFAULT_PATH }: ClientOptions,
): Client {
  const path = base.pathname.replace(/\/+$/, "") + (tokenPath.startsWith("/") ? "" : "/") + tokenPath;
  const url = new URL(base.origin);
  url.pathname = path;
  if (/[?#\s]|^[a-z]+:|\/\/|(^|\/)\.\.?(\/|$)/i.test(tokenPath)) {
    throw usageProblem(
      "bad-option-value",
      `oauthTokenPath ${JSON.stringify(tokenPath)} is not a path below the URL`,
      `${DEFAULT_PATH} is the usual one, and needs no key`,
    );
  }
  const issued: string[] = [];
  return {
    id,
    secret: () => secret,
    secretFrom,
    tokenPath: url.pathname,
    issued,
    note: (token) => {
      issued.push(token);
      if (issued.length > MAX_ISSUED) issued.shift();
    },
  };
}
