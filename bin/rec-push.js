#!/usr/bin/env node
import { main } from "../dist/cli/main.js";
import { openProcessIo } from "../dist/cli/process-io.js";

process.exitCode = await main(process.argv.slice(2), openProcessIo());
