import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

/** Rooms whose modules keep nothing: their test files share a process, and what it has loaded. */
const PURE = ["drift", "fields", "ledger", "model", "prepare", "read", "report"].map(
  (room) => `test/${room}/**/*.test.ts`,
);
const SETUP = { setupFiles: ["test/support/fast-check-seed.ts", "test/support/usual-umask.ts"] };

export default defineConfig({
  test: {
    // Many tests wait for processes and timers: on two cores a second worker has room.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 180_000,
    hookTimeout: 180_000,
    restoreMocks: true,
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false, ...SETUP } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...PURE],
          ...SETUP,
        },
      },
    ],
  },
});
