/** A member's name in lower case and without punctuation: `error_code` and `errorCode` are the same. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
