import { defineConfig } from "vitest/config";

/** `npm run test:binary`, which builds an executable first: that takes too long for `npm test`. */
export default defineConfig({
  test: { include: ["test/binary/*.spec.ts"], testTimeout: 300_000, hookTimeout: 600_000 },
});
