// Loaded into the command's process: kills it once it has said how it ended.
const { stdout } = process;
const write = stdout.write.bind(stdout);
stdout.write = (chunk, ...rest) => {
  const isWritten = write(chunk, ...rest);
  if (String(chunk).includes(" accepted")) process.kill(process.pid, "SIGKILL");
  return isWritten;
};
