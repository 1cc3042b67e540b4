#!/usr/bin/env node
"use strict";
// As long as the command has not said how it ended.
process.exitCode = 1;
const { enter } = require("../dist/cli/door.js");

void enter(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
