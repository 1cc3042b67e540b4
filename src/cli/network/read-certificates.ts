import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { RecPushError } from "../../model/failure.ts";
import { quoteWord } from "../../model/text.ts";
import type { Certificates } from "../../send/network/network.ts";
import { readTrustedFile } from "../own-file.ts";

/** The files of `--ca`, `--cert` and `--key`. */
interface CertificateFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;
const KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[^]*?-----END (?:[A-Z]+ )*PRIVATE KEY-----/;

/**
 * Reads the files and checks whether TLS can use them, so that nothing fails later with another message. Throws a usage
 * error.
 */
export async function readCertificates(
  { ca, cert, key }: CertificateFiles,
  notice: (text: string) => void = () => undefined,
): Promise<Certificates> {
  const trusted = ca === undefined ? undefined : await readPem(ca, "--ca");
  if (trusted !== undefined) certificatesIn(trusted, ca!, "--ca");
  if (cert === undefined) return { ca: trusted, own: undefined };
  const ofCert = await readPem(cert, "--cert", key === undefined ? notice : undefined);
  const [first] = certificatesIn(ofCert, cert, "--cert");
  const [keyFile, option] = key === undefined ? ([cert, "--cert"] as const) : ([key, "--key"] as const);
  const pem = KEY.exec(key === undefined ? ofCert : await readPem(key, "--key", notice))?.[0];
  if (pem === undefined) {
    const more = key === undefined ? "; --key FILE names the file that does" : "";
    throw wrongFile(`${option} ${keyFile} holds no private key in PEM${more}`, pemHint("pkey", keyFile));
  }
  if (!first!.checkPrivateKey(readKey(pem, option, keyFile)))
    throw wrongFile(`the key in ${keyFile} (${option}) does not belong to the certificate in ${cert}`);
  return { ca: trusted, own: { cert: ofCert, key: () => pem } };
}

function readPem(path: string, option: string, notice?: (text: string) => void): Promise<string> {
  const name = `${path} (${option})`;
  return readTrustedFile({ path, name, code: "bad-certificate-file", encoding: "latin1", notice });
}

function certificatesIn(text: string, file: string, option: string): X509Certificate[] {
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0)
    throw wrongFile(`${option} ${file} holds no certificate in PEM`, pemHint("x509", file));
  try {
    return found.map((pem) => new X509Certificate(pem.replaceAll("TRUSTED ", "")));
  } catch (cause) {
    throw wrongFile(`${option} ${file} holds a certificate that cannot be read`, undefined, cause);
  }
}

function readKey(pem: string, option: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    const isLocked = /ENCRYPTED/.test(pem);
    throw wrongFile(
      isLocked
        ? `the key in ${file} (${option}) is locked with a passphrase, which an unattended run cannot type`
        : `the key in ${file} (${option}) cannot be read`,
      isLocked ? `openssl pkey -in ${quoteWord(file)} -out key.pem unlocks it; chmod 600 key.pem` : undefined,
      // Do not pass on the error, which might quote the key.
    );
  }
}

function pemHint(kind: "x509" | "pkey", file: string): string {
  return `a PEM file has lines with -----BEGIN; of another form, openssl ${kind} -inform der -in ${quoteWord(file)} makes one`;
}

function wrongFile(message: string, hint?: string, cause?: unknown): RecPushError {
  return new RecPushError("usage", "bad-certificate-file", message, { hint, cause });
}
