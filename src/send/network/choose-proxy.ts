import { isThisMachine } from "../this-machine.ts";
import { isPassedBy } from "./no-proxy.ts";
import { parseProxy, type Proxy } from "./proxy.ts";

/** The environment variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL: the one given by `--proxy`, else the one in the environment as curl reads it, lower case
 * first; `undefined`: a direct connection. There are two differences from curl: a proxy from the environment is never
 * used for this machine, because nothing is to leave it then, and `HTTP_PROXY` counts too, except in a CGI script,
 * where a request's header could set it. Throws usage errors.
 */
export function chooseProxy(
  url: { readonly protocol: string; readonly hostname: string },
  option: string | undefined,
  env: Environment,
): Proxy | undefined {
  if (option === "none") return undefined;
  const except = env["no_proxy"] || env["NO_PROXY"] || "";
  if (isPassedBy(url.hostname, except)) return undefined;
  if (option !== undefined) return parseProxy(option, "--proxy");
  if (isThisMachine(url.hostname)) return undefined;
  const name = variablesFor(url.protocol, env).find((variable) => env[variable]);
  return name === undefined ? undefined : parseProxy(env[name]!, name);
}

function variablesFor(protocol: string, env: Environment): readonly string[] {
  if (protocol === "https:") return ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
  const inCapitals = env["REQUEST_METHOD"] === undefined ? ["HTTP_PROXY"] : [];
  return ["http_proxy", ...inCapitals, "all_proxy", "ALL_PROXY"];
}
