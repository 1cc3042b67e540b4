#!/usr/bin/env node
"use strict";
const { enableCompileCache } = require("node:module");
const { homedir, userInfo } = require("node:os");
const path = require("node:path");

// As long as the command has not said how it ended.
process.exitCode = 1;
const cache = findCache();
if (cache !== undefined) enableCompileCache?.(cache);
const { enter } = require("../dist/cli/door.js");

// Node 20 keeps none; later ones leave out what is compiled when it is first called, which is most.
const isOurs = process.env.NODE_DISABLE_COMPILE_CACHE !== "1";
void enter(process.argv.slice(2), isOurs ? cache : undefined).then((code) => {
  process.exitCode = code;
});

/**
 * Not at Node's usual place, where other users of this machine could write, nor below the working directory. `undefined`
 * for a user whom the system does not know.
 */
function findCache() {
  const { XDG_CACHE_HOME = "" } = process.env;
  if (path.isAbsolute(XDG_CACHE_HOME)) return path.join(XDG_CACHE_HOME, "rec-push");
  try {
    const home = path.isAbsolute(homedir()) ? homedir() : userInfo().homedir;
    return path.isAbsolute(home) ? path.join(home, ".cache", "rec-push") : undefined;
  } catch {
    return undefined;
  }
}
