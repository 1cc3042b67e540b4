import type { PreparedRecord } from "../model/record.ts";
import { murmur3 } from "./murmur3.ts";

/** Of its 128 bits 96 are kept: among a thousand million records no two different ones are likely to have the same. */
const FINGERPRINT_BYTES = 12;
const HASH_BYTES = 16;

/**
 * The fingerprints of records, one after the other: each 16 characters of base64, a hash of the record's JSON text.
 * `texts` holds these, with a comma between each two.
 */
export function fingerprintsOf(records: readonly Pick<PreparedRecord, "bytes">[], texts: Buffer): string {
  // Each hash covers the end of the one before.
  const prints = Buffer.allocUnsafe(records.length * FINGERPRINT_BYTES + HASH_BYTES - FINGERPRINT_BYTES);
  const [from, to] = [viewOf(texts), viewOf(prints)];
  let place = 0;
  let at = 0;
  for (const { bytes } of records) {
    murmur3(from, place, bytes, to, at);
    place += bytes + 1;
    at += FINGERPRINT_BYTES;
  }
  return prints.toString("base64", 0, records.length * FINGERPRINT_BYTES);
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
