import { readFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { createServer } from "node:tls";
import { onTestFinished } from "vitest";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { fixture } from "./fixture.ts";
import { openSandbox } from "./push-to-sandbox.ts";

/** The name under which the proxy of the tests reaches a sandbox; no resolver knows it. */
export const SERVICE = "service.test";

/**
 * Certificates of `fixtures/tls/`, each with its key: for this machine and `SERVICE`, for `other.test`, one that has expired, and
 * one that another authority signed. They and the authority's are valid until 2126.
 */
export type Certificate = "service" | "other-name" | "expired" | "stranger";

/** A sandbox behind TLS, and the file that a client needs to trust it. */
export interface TlsSandbox {
  readonly sandbox: Sandbox;
  /** Where it speaks TLS. */
  readonly port: number;
  readonly caFile: string;
}

export interface TlsOptions extends SandboxOptions {
  readonly certificate?: Certificate;
  /** True if it asks clients for a certificate of the same authority. */
  readonly isAsking?: boolean;
}

/** A sandbox behind a server that ends TLS and passes everything else on as it is. */
export async function openTlsSandbox({
  certificate = "service",
  isAsking = false,
  ...options
}: TlsOptions = {}): Promise<TlsSandbox> {
  const sandbox = await openSandbox({ otherNames: [SERVICE], ...options });
  return { sandbox, port: await startTlsBefore(sandbox.port, certificate, isAsking), caFile: CA_FILE };
}

/** The file of the authority that signed all certificates but `stranger`. */
export const CA_FILE = fixture("tls/authority.pem");

/** Starts a server that ends TLS before the port of another one; returns its port. */
export async function startTlsBefore(
  port: number,
  certificate: Certificate,
  isAsking = false,
): Promise<number> {
  const both = await readFile(fixture(`tls/${certificate}.pem`));
  const ca = isAsking ? { ca: await readFile(CA_FILE), requestCert: true, rejectUnauthorized: true } : {};
  const server = createServer({ cert: both, key: both, ...ca }, (outside) => {
    const inside = connect(port, "127.0.0.1");
    outside.pipe(inside).pipe(outside);
    outside.on("error", () => inside.destroy()).on("close", () => inside.destroy());
    inside.on("error", () => outside.destroy()).on("close", () => outside.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
