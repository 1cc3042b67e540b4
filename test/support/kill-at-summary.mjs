// Loaded into the command's process: kills it once it has said how it ended, or, with KILL_BEFORE, before it says so.
const { stdout } = process;
const write = stdout.write.bind(stdout);
stdout.write = (chunk, ...rest) => {
  const isBefore = process.env.KILL_BEFORE !== undefined;
  if (isBefore && String(chunk).includes(" rows read")) process.kill(process.pid, "SIGKILL");
  const isWritten = write(chunk, ...rest);
  if (!isBefore && String(chunk).includes(" accepted")) process.kill(process.pid, "SIGKILL");
  return isWritten;
};
