import { cpSync, writeFileSync } from "node:fs";
import { programTypes } from "../options/program-values.ts";
import { frontPage } from "./help/front-page.ts";
import { readVersion } from "./version.ts";

// A step of the build: the first screen, which never changes, the topics, and the types of the options of programs in place of those of `library/options.ts`.
const built = (name: string): URL => new URL(`../${name}`, import.meta.url);
writeFileSync(built("help.txt"), frontPage(readVersion()));
cpSync(new URL("../../src/help", import.meta.url), built("help"), { recursive: true });
writeFileSync(built("library/types/library/options.d.ts"), programTypes());
