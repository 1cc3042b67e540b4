/** True for names and addresses that never leave this machine: `localhost`, 127.0.0.0/8, `::1`, also in brackets or mapped into IPv6. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost" || bare === "::1") return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(bare);
}

/** True where a `Host` header names this machine, so that a web page cannot read the sandbox under a name of its own (DNS rebinding). */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  return header !== undefined && isLoopback(header.replace(/:\d+$/, ""));
}
