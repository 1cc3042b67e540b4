import { getAsset } from "node:sea";

/** In place of the file: its text. */
export const THREAD_CODE = {
  get code(): string {
    return getAsset("prepare-thread.cjs", "utf8");
  },
  isText: true,
} as const;
