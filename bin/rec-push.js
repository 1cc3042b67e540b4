#!/usr/bin/env node
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// From Node 22 on; not at Node's usual place, where other users of this machine could write.
module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "rec-push"));
const { enter } = await import("../dist/cli/door.js");

process.exitCode = await enter(process.argv.slice(2));
