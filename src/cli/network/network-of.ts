import { given } from "../../options/given.ts";
import type { OptionValues } from "../../options/table.ts";
import { chooseProxy } from "../../send/network/choose-proxy.ts";
import { type Network, PLAIN_NETWORK } from "../../send/network/network.ts";
import type { Io } from "../io.ts";

/**
 * How a URL is reached, by options and environment; files are read only if an option names them. Throws a usage error.
 */
export async function networkOf(
  { proxy: option, ca, cert, key }: OptionValues,
  env: Io["env"],
  url: string,
  notice: ((text: string) => void) | undefined,
): Promise<Network> {
  // An invalid URL is refused when the target is made.
  const proxy = URL.canParse(url) ? chooseProxy(new URL(url), option, env) : undefined;
  if (ca === undefined && cert === undefined) return { ...PLAIN_NETWORK, proxy };
  const { readCertificates } = await import("./read-certificates.ts");
  return { proxy, certificates: await readCertificates(given({ ca, cert, key }), notice) };
}
