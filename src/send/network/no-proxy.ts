import { BlockList, isIP } from "node:net";

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
