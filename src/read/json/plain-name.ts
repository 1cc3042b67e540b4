/** A member's name without case and signs: `error_code` and `errorCode` are one. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
