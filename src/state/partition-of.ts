/** The partition that a key belongs to. Keys are spread evenly, and differently for each seed. */
export function partitionOf(key: string, partitions: number, seed = 0): number {
  let mixed = Math.imul(seed + 1, 0x9e3779b1);
  for (let at = 0; at < key.length; at++) mixed = Math.imul(mixed ^ key.charCodeAt(at), 0x5f356495);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % partitions;
}
