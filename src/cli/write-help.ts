import { cpSync, writeFileSync } from "node:fs";
import { frontPage } from "./help/front-page.ts";
import { readVersion } from "./version.ts";

// A step of the build: the first screen, which never changes, and the topics.
const built = (name: string): URL => new URL(`../${name}`, import.meta.url);
writeFileSync(built("help.txt"), frontPage(readVersion()));
cpSync(new URL("../../src/help", import.meta.url), built("help"), { recursive: true });
