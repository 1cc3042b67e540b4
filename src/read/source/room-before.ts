/** More than most rows have that begin in one piece of the content and end in the next. */
const ROOM_BYTES = 4096;

/** Buffers that have room before them which nobody has taken. */
const roomy = new WeakSet<Buffer>();

/** A buffer of this size that has room before it for the end of another one. */
export function withRoomBefore(bytes: number): Buffer {
  const buffer = Buffer.allocUnsafeSlow(ROOM_BYTES + bytes).subarray(ROOM_BYTES);
  roomy.add(buffer);
  return buffer;
}

/** One behind the other: in the memory of `next` if `rest` fits into the room before it, which is then taken. */
export function joinBefore(rest: Buffer, next: Buffer): Buffer {
  if (rest.length > ROOM_BYTES || !roomy.delete(next)) return Buffer.concat([rest, next]);
  const joined = Buffer.from(next.buffer, next.byteOffset - rest.length, rest.length + next.length);
  rest.copy(joined);
  return joined;
}
