import { given } from "../../options/given.ts";
import type { OptionValues } from "../../options/table.ts";
import { chooseProxy } from "../../send/network/choose-proxy.ts";
import { type Network, PLAIN_NETWORK } from "../../send/network/network.ts";
import type { Io } from "../io.ts";

/** The way to a URL by options and environment; files are read only where an option names them. Throws usage. */
export async function networkOf(
  { proxy: option, ca, cert, key }: OptionValues,
  env: Io["env"],
  url: string,
  notice: ((text: string) => void) | undefined,
): Promise<Network> {
  // A URL that is none is refused with the target.
  const proxy = URL.canParse(url) ? chooseProxy(new URL(url), option, env) : undefined;
  if (ca === undefined && cert === undefined) return { ...PLAIN_NETWORK, proxy };
  const { readCertificates } = await import("./read-certificates.ts");
  return { proxy, certificates: await readCertificates(given({ ca, cert, key }), notice) };
}
