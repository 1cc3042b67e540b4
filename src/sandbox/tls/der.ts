/** The parts of DER (X.690) that a certificate is made of. */
export const der = {
  sequence: (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts),
  set: (...parts: readonly Buffer[]): Buffer => tagged(0x31, ...parts),
  /** Not negative: its first byte is below 0x80. */
  integer: (bytes: Buffer): Buffer => tagged(0x02, bytes),
  boolean: (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0])),
  bits: (bytes: Buffer, unused = 0): Buffer => tagged(0x03, Buffer.from([unused]), bytes),
  octets: (bytes: Buffer): Buffer => tagged(0x04, bytes),
  text: (text: string): Buffer => tagged(0x0c, Buffer.from(text)),
  time: (ms: number): Buffer => {
    const digits = new Date(ms).toISOString().replace(/\.\d+/, "").replace(/[-:T]/g, "");
    return tagged(0x18, Buffer.from(digits));
  },
  /** `1.2.840.10045.4.3.2` */
  identifier: (dotted: string): Buffer => {
    const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
    return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
  },
  /** Context-specific, with other parts inside. */
  inside: (number: number, ...parts: readonly Buffer[]): Buffer => tagged(0xa0 + number, ...parts),
  /** Context-specific, with plain bytes inside. */
  plain: (number: number, bytes: Buffer): Buffer => tagged(0x80 + number, bytes),
};

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
