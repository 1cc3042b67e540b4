import { BlockList, isIP } from "node:net";

/**
 * True if a list such as `NO_PROXY` leaves the proxy out for a host, as curl reads it: names with commas or spaces between
 * them, each with all names below it and with or without a dot before it; addresses and their networks (`10.0.0.0/8`); `*`
 * alone for all. The host comes as URL writes it.
 */
export function isPassedBy(hostname: string, list: string): boolean {
  const host = bare(hostname);
  const items = list.split(/[\s,]+/).filter((item) => item !== "");
  if (items.length === 1 && items[0] === "*") return true;
  return isIP(host) === 0
    ? items.some((item) => isBelow(host, bare(item)))
    : items.some((item) => isInside(host, item));
}

/** In small letters, without brackets, a dot before or a dot behind. */
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
