import { defineConfig } from "vitest/config";

/** Builds an executable first, which takes too long for the other tests: npm run test:binary. */
export default defineConfig({
  test: { include: ["test/binary/*.spec.ts"], testTimeout: 300_000, hookTimeout: 600_000 },
});
