import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/set-up.ts"],
    // Test files share a process, and the command that it has loaded and made fast.
    isolate: false,
    // Many tests wait for processes and timers: on two cores a third worker has room.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 180_000,
    hookTimeout: 180_000,
    restoreMocks: true,
  },
});
