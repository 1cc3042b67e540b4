import type { Socket } from "node:net";

const CONTINUE = Buffer.from("HTTP/1.1 100");
const PROCESSING_DIGIT = "2".charCodeAt(0);

/**
 * Ignores a `100 Continue` that was not asked for: RFC 9110, 15.2, wants clients to read on, but undici gives up the
 * connection, which would leave a create in doubt for nothing. It is rewritten as `102 Processing`, which means as
 * little and is ignored.
 */
export function passUnaskedContinue(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => unknown;
  socket.read = (size?: number): unknown => {
    const chunk = read(size);
    if (Buffer.isBuffer(chunk) && chunk.subarray(0, CONTINUE.length).equals(CONTINUE)) {
      chunk[CONTINUE.length - 1] = PROCESSING_DIGIT;
    }
    return chunk;
  };
}
