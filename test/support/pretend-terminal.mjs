// Loaded into the command's process: standard error says that it is a terminal of PRETEND_COLUMNS columns.
import { WriteStream } from "node:tty";

const { stderr } = process;
for (const name of ["cursorTo", "moveCursor", "clearLine", "clearScreenDown"])
  stderr[name] = WriteStream.prototype[name];
Object.assign(stderr, { isTTY: true, columns: Number(process.env.PRETEND_COLUMNS), rows: 24 });
