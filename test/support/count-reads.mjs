// Loaded into the command's process and its threads: notes how many bytes of the files in a directory are read.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { read } = fs;
const directory = process.env.COUNTED_DIRECTORY;

fs.read = function countRead(fd, buffer, offset, length, position, callback) {
  return read.call(fs, fd, buffer, offset, length, position, (error, bytes, filled) => {
    const path = fs.readlinkSync(`/proc/self/fd/${fd}`);
    if (error === null && path.startsWith(`${directory}/`)) {
      fs.appendFileSync(process.env.COUNTED_READS, `${bytes} ${path}\n`);
    }
    callback(error, bytes, filled);
  });
};
// Files are read through the promisified form.
fs.read[Symbol.for("nodejs.util.promisify.custom")] = (fd, buffer, offset, length, position) =>
  new Promise((resolve, reject) => {
    fs.read(fd, buffer, offset, length, position, (error, bytesRead) =>
      error === null ? resolve({ bytesRead, buffer }) : reject(error),
    );
  });
syncBuiltinESMExports();
