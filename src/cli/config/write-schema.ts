import { writeFileSync } from "node:fs";
import { configSchema } from "./config-schema.ts";

// A step of the build: editors find the schema next to the compiled code.
writeFileSync(
  new URL("../../config-schema.json", import.meta.url),
  `${JSON.stringify(configSchema(), null, 2)}\n`,
);
