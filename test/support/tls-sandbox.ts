import { makeAuthority, type MadeAuthority } from "../../src/sandbox/tls/make-certificate.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { openSandbox } from "./push-to-sandbox.ts";
import { makeFile } from "./temp-files.ts";

/** The name under which the proxy of the tests reaches a sandbox; no resolver knows it. */
export const SERVICE = "service.test";

/** A sandbox that speaks TLS, and the files that a client needs to trust it. */
export interface TlsSandbox {
  readonly sandbox: Sandbox;
  readonly authority: MadeAuthority;
  readonly caFile: string;
}

interface TlsOptions extends SandboxOptions {
  /** Names in the certificate. */
  readonly names?: readonly string[];
  readonly times?: { readonly fromMs: number; readonly untilMs: number };
  /** True if it asks clients for a certificate of the same authority. */
  readonly isAsking?: boolean;
}

export async function openTlsSandbox({
  names = [SERVICE, "localhost", "127.0.0.1"],
  times,
  isAsking = false,
  ...options
}: TlsOptions = {}): Promise<TlsSandbox> {
  const authority = makeAuthority("authority of the tests", Date.now());
  const tls = { ...authority.issue(names, times), ...(isAsking ? { ca: authority.cert } : {}) };
  const sandbox = await openSandbox({ ...options, tls });
  return { sandbox, authority, caFile: await makeFile("ca.pem", authority.cert) };
}
