// Loaded into the command's process: standard error says that it is a terminal of PRETEND_COLUMNS columns, and of none
// from its first line of progress on where PRETEND_SHRINKING is set.
import { WriteStream } from "node:tty";

const { stderr } = process;
for (const name of ["cursorTo", "moveCursor", "clearLine", "clearScreenDown"])
  stderr[name] = WriteStream.prototype[name];
Object.assign(stderr, { isTTY: true, columns: Number(process.env.PRETEND_COLUMNS), rows: 24 });

if (process.env.PRETEND_SHRINKING !== undefined) {
  const write = stderr.write.bind(stderr);
  stderr.write = function shrink(...rest) {
    if (stderr.columns > 0 && / %, /.test(String(rest[0]))) {
      setImmediate(() => {
        stderr.columns = 0;
        stderr.emit("resize");
      });
    }
    return write(...rest);
  };
}
