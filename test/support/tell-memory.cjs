// Loaded into a command before its own code: says at the end how much memory the process had at its peak.
process.on("exit", () => process.stderr.write(`peak ${process.resourceUsage().maxRSS >> 10} MiB\n`));
