// Loaded into a command before its own code: raises a signal when a file has been read to its end for the n-th time, so that what
// follows has no more reading to wait for.
const fs = require("node:fs");

const { SIGNAL_AT_END: signal, ENDS: ends } = process.env;
const { read } = fs;
let left = Number(ends);

function readAndSignal(...given) {
  const done = given.pop();
  const isFile = fs.fstatSync(given[0]).isFile();
  read(...given, (error, bytes, buffer) => {
    if (isFile && bytes === 0 && --left === 0) process.kill(process.pid, signal);
    done(error, bytes, buffer);
  });
}

// What `promisify` makes of it is told by a symbol.
fs.read = Object.defineProperties(readAndSignal, Object.getOwnPropertyDescriptors(read));
