import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { der } from "./der.ts";

/** A certificate and its key, as PEM. */
interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority that signs certificates. */
export interface MadeAuthority extends MadeCertificate {
  /** Issues a certificate for a host, or for a client; `names` are names and addresses. */
  readonly issue: (names: readonly string[], times?: Validity) => MadeCertificate;
}

/** From when to when, in milliseconds since 1970. */
interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

const DAY_MS = 86_400_000;
const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  keyUsage: "2.5.29.15",
  alternativeNames: "2.5.29.17",
  basicConstraints: "2.5.29.19",
};

/** Makes an authority for rehearsals: its key is short-lived and signs nothing else. */
export function makeAuthority(name: string, nowMs: number): MadeAuthority {
  const usual = { fromMs: nowMs - DAY_MS, untilMs: nowMs + 30 * DAY_MS };
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signAs = (content: Omit<Content, "issuer">): string =>
    certificate({ ...content, issuer: name }, privateKey);
  const extensions = [
    extension(OID.basicConstraints, true, der.sequence(der.boolean(true))),
    // keyCertSign
    extension(OID.keyUsage, true, der.bits(Buffer.from([0x04]), 2)),
  ];
  return {
    cert: signAs({ subject: name, publicKey, extensions, times: usual }),
    key: pemOf(privateKey),
    issue(names, times = usual) {
      const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const alternatives = der.sequence(...names.map(alternative));
      const content = {
        subject: names[0] ?? "",
        publicKey: pair.publicKey,
        extensions: [extension(OID.alternativeNames, false, alternatives)],
        times,
      };
      return { cert: signAs(content), key: pemOf(pair.privateKey) };
    },
  };
}

interface Content {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly times: Validity;
}

/** RFC 5280, 4.1. */
function certificate({ issuer, subject, publicKey, extensions, times }: Content, key: KeyObject): string {
  const algorithm = der.sequence(der.identifier(OID.ecdsaWithSha256));
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const version3 = der.inside(0, der.integer(Buffer.from([2])));
  const body = der.sequence(
    version3,
    der.integer(serial),
    algorithm,
    nameOf(issuer),
    der.sequence(der.time(times.fromMs), der.time(times.untilMs)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der.inside(3, der.sequence(...extensions)),
  );
  const bytes = der.sequence(body, algorithm, der.bits(sign("sha256", body, key)));
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function nameOf(name: string): Buffer {
  return der.sequence(der.set(der.sequence(der.identifier(OID.commonName), der.text(name))));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return der.sequence(der.identifier(id), ...(isCritical ? [der.boolean(true)] : []), der.octets(value));
}

/** A name, or the bytes of an address. */
function alternative(name: string): Buffer {
  switch (isIP(name)) {
    case 4:
      return der.plain(7, Buffer.from(name.split(".").map(Number)));
    case 6:
      // Only ::1 is needed.
      return der.plain(7, Buffer.from([...Array<number>(15).fill(0), 1]));
    default:
      return der.plain(2, Buffer.from(name));
  }
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
