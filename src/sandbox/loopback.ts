/**
 * True for names and addresses that never leave this machine: `localhost`, 127.0.0.0/8, `::1`, in brackets or mapped
 * into IPv6 too.
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost" || bare === "::1") return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(bare);
}

/**
 * True if a `Host` header names this machine. Otherwise a web page could read the sandbox through a name of its own
 * (DNS rebinding).
 */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  return header !== undefined && isLoopback(header.replace(/:\d+$/, ""));
}
