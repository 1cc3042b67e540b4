import { cpSync, writeFileSync } from "node:fs";
import { programTypes } from "../options/program-values.ts";

// A step of the build: the topics, and the types of the options of programs in place of those of `library/options.ts`.
const built = (name: string): URL => new URL(`../${name}`, import.meta.url);
cpSync(new URL("../../src/help", import.meta.url), built("help"), { recursive: true });
writeFileSync(built("library/types/library/options.d.ts"), programTypes());
