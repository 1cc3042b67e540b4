import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/fast-check-seed.ts", "test/support/usual-umask.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
