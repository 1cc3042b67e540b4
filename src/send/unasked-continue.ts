import type { Socket } from "node:net";

const CONTINUE = Buffer.from("HTTP/1.1 100");
const PROCESSING_DIGIT = "2".charCodeAt(0);

/**
 * Lets a `100 Continue` pass that nobody asked for: RFC 9110, 15.2, wants clients to read on, undici gives the connection
 * up, and a create would be in doubt for nothing. As `102 Processing`, which means as little, it is passed over.
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
