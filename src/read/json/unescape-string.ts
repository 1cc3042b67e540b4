import { SHORT_ESCAPES } from "../../model/json-escapes.ts";

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** By the letter of an escape: the byte that it stands for; the others stand for themselves. */
const STANDS_FOR = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [character, letter] of SHORT_ESCAPES) STANDS_FOR[letter.charCodeAt(0)] = character.charCodeAt(0);

/**
 * Writes the text of a JSON string to `target` as UTF-8, and returns how many bytes it has, at most as many as the string.
 * `start` and `end` are inside the quotes; the string is valid and has no escapes of surrogates.
 */
export function unescapeString(bytes: Buffer, start: number, end: number, target: Buffer): number {
  let to = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== BACKSLASH) {
      target[to++] = byte;
      continue;
    }
    at += 1;
    const letter = bytes[at]!;
    if (letter !== LETTER_U) {
      target[to++] = STANDS_FOR[letter]!;
      continue;
    }
    const code =
      (hexDigit(bytes[at + 1]!) << 12) |
      (hexDigit(bytes[at + 2]!) << 8) |
      (hexDigit(bytes[at + 3]!) << 4) |
      hexDigit(bytes[at + 4]!);
    to = writeCharacter(code, target, to);
    at += 4;
  }
  return to;
}

function hexDigit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

function writeCharacter(code: number, target: Buffer, at: number): number {
  let to = at;
  if (code < 0x80) target[to++] = code;
  else {
    if (code < 0x800) target[to++] = 0xc0 | (code >> 6);
    else {
      target[to++] = 0xe0 | (code >> 12);
      target[to++] = 0x80 | ((code >> 6) & 0x3f);
    }
    target[to++] = 0x80 | (code & 0x3f);
  }
  return to;
}
