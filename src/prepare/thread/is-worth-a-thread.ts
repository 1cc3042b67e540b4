import { availableParallelism } from "node:os";
import type { Source } from "../../read/source/source.ts";
import { THREAD_CODE } from "./thread-code.ts";

/** A smaller input is done before a thread has started. */
const WORTH_A_THREAD_BYTES = 4 * 1024 * 1024;

/** True for an input that is large enough, on a machine that can do two things at once. */
export function isWorthAThread({ bytes, fd }: Source): boolean {
  return (
    THREAD_CODE !== undefined &&
    fd !== undefined &&
    bytes >= WORTH_A_THREAD_BYTES &&
    availableParallelism() > 1
  );
}
