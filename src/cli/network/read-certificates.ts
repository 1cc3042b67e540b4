import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { RecPushError } from "../../model/failure.ts";
import type { Certificates } from "../../send/network/network.ts";
import { readTrustedFile } from "../trusted-file.ts";

/** The files of `--ca`, `--cert` and `--key`. */
interface CertificateFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the files and checks whether TLS can use them, so that nothing fails later with another message. Throws a usage
 * error.
 */
export async function readCertificates(
  { ca, cert, key }: CertificateFiles,
  notice: (text: string) => void = () => undefined,
): Promise<Certificates> {
  const trusted = ca === undefined ? undefined : await readPem(ca, "--ca");
  // TLS itself passes over what is no certificate there.
  if (trusted !== undefined) checkUse(`the certificates in ${ca} (--ca)`, () => new X509Certificate(trusted));
  if (cert === undefined) return { ca: trusted, own: undefined };
  const ofCert = await readPem(cert, "--cert", key === undefined ? notice : undefined);
  const ofKey = key === undefined ? ofCert : await readPem(key, "--key", notice);
  const files = key === undefined ? `${cert} (--cert)` : `${cert} (--cert) with the key in ${key} (--key)`;
  checkUse(`the certificate in ${files}`, () => createSecureContext({ cert: ofCert, key: ofKey }));
  return { ca: trusted, own: { cert: ofCert, key: () => ofKey } };
}

function readPem(path: string, option: string, notice?: (text: string) => void): Promise<string> {
  const name = `${path} (${option})`;
  return readTrustedFile({ path, name, code: "bad-certificate-file", encoding: "latin1", notice });
}

function checkUse(what: string, use: () => unknown): void {
  try {
    use();
  } catch (cause) {
    const why = (cause as Error).message.split("::").at(-1);
    throw new RecPushError("bad-certificate-file", `${what} cannot be used: ${why}`, {
      hint: "TLS wants PEM, with lines of -----BEGIN, and a key without passphrase that belongs to the certificate: openssl x509 -inform der -in FILE and openssl pkey -in FILE make them",
    });
  }
}
