#!/usr/bin/env node
"use strict";
const { enableCompileCache } = require("node:module");
const { homedir } = require("node:os");
const path = require("node:path");

// As long as the command has not said how it ended.
process.exitCode = 1;
// From Node 22 on; not at Node's usual place, where other users of this machine could write.
enableCompileCache?.(path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "rec-push"));
const { enter } = require("../dist/cli/door.js");

void enter(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
