#!/usr/bin/env node
"use strict";
const { enableCompileCache } = require("node:module");
const { homedir } = require("node:os");
const path = require("node:path");

// As long as the command has not said how it ended.
process.exitCode = 1;
// Not at Node's usual place, where other users of this machine could write.
const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "rec-push");
enableCompileCache?.(cache);
const { enter } = require("../dist/cli/door.js");

// Node 20 keeps no cache by itself.
const isOurs = enableCompileCache === undefined && process.env.NODE_DISABLE_COMPILE_CACHE !== "1";
void enter(process.argv.slice(2), isOurs ? cache : undefined).then((code) => {
  process.exitCode = code;
});
