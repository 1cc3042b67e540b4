import { readFileSync, writeFileSync } from "node:fs";
import { cutTopics } from "./help/cut-topics.ts";
import { frontPage } from "./help/front-page.ts";
import { readVersion } from "./version.ts";

// A step of the build: writes help texts that never change, and README's sections, which the package shows as topics.
const built = (name: string): URL => new URL(`../${name}`, import.meta.url);
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
writeFileSync(built("help.txt"), frontPage(readVersion()));
writeFileSync(built("topics.json"), JSON.stringify(cutTopics(readme)));
