import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import {
  fstatSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";

/** How Node loads a CommonJS file. */
export type LoadFile = (module: NodeJS.Module, file: string) => void;

type Wrapped = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  __filename: string,
  __dirname: string,
) => void;

interface Loaded {
  readonly script: Script;
  readonly source: Buffer;
  readonly place: string;
  /** True if its code was not kept yet. */
  readonly isNew: boolean;
}

/** A smaller file is compiled sooner than its cache is read. */
const SMALLEST_BYTES = 8000;
/**
 * A run that takes more than this many times as long as Node's own start is long: by its end, V8 has dropped code that
 * only the start needs.
 */
const LONG_STARTS = 40;
const DIGEST_BYTES = 32;
/** What was written longer ago is removed when something is written: it may be of a version or a place that is gone. */
const KEPT_MS = 90 * 24 * 3600 * 1000;
/** The names that {@link nameOf} gives. */
const OWN_NAME = /^v\d+\.\d+\.\d+-.+\.js$/;
/** Of the 255 bytes that a name may have. */
const LONGEST_NAME = 200;
/** Types in a line of comment are no reason. */
const IMPORTING = /^(?![ \t]*(?:\*|\/[*/])(?!.*\*\/[ \t]*\S)).*\bimport\(/m;

/**
 * A start need not compile again what the last one compiled. `module.enableCompileCache` (from Node 22 on) leaves out each
 * function that is compiled when it is first called, which is most. V8 itself takes a cache only if version and flags are
 * its own, but of the source it compares the length alone and of the cache nothing; so each is kept with a digest of both.
 * Anything amiss, and the file is compiled. Returns what writes the code of all files, functions that were compiled late
 * with it, if one of them is new: then this is another command than before, which needs other functions of the rest as
 * well. That never throws. `startSeconds`: how long the process has run so far.
 */
export function openCodeCache(
  directory: string,
  extensions: NodeJS.Dict<LoadFile>,
  startSeconds = process.uptime(),
): (uptimeSeconds?: number) => void {
  const loadByNode = extensions[".js"];
  if (loadByNode === undefined) return () => undefined;
  const loaded: Loaded[] = [];
  extensions[".js"] = (module, file) => {
    const script = compile(file, directory, loaded);
    if (script === undefined) return loadByNode(module, file);
    const run = script.runInThisContext() as Wrapped;
    run(module.exports, createRequire(file), module, file, dirname(file));
  };
  return (uptimeSeconds = process.uptime()) => {
    if (!loaded.some(({ isNew }) => isNew) || uptimeSeconds > LONG_STARTS * startSeconds) return;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      if (!isPrivate(lstatSync(directory))) return;
      for (const { script, source, place } of loaded) writeCache(place, source, script.createCachedData());
      removeOld(directory);
    } catch {
      // The next start compiles again.
    }
  };
}

/** `undefined` for what is left to Node: small files, those that import(), of which Node 20 would warn, and those with faults. */
function compile(file: string, directory: string, loaded: Loaded[]): Script | undefined {
  if (statSync(file).size < SMALLEST_BYTES) return undefined;
  const source = readFileSync(file);
  // The command's own files are ASCII, which is decoded faster so.
  const text = source.toString(isAscii(source) ? "latin1" : "utf8");
  if (text.includes("import(") && IMPORTING.test(text)) return undefined;
  const place = join(directory, nameOf(file));
  const cachedData = readCache(place, source);
  try {
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${text}\n})`,
      cachedData === undefined ? { filename: file } : { filename: file, cachedData },
    );
    loaded.push({ script, source, place, isNew: script.cachedDataRejected !== false });
    return script;
  } catch {
    return undefined;
  }
}

/** One for each place where the command is installed, so that an update replaces it; should two meet, the digest tells. */
function nameOf(file: string): string {
  return `${process.version}-${process.arch}${file.replaceAll(/[^\w.]/g, "-").slice(-LONGEST_NAME)}`;
}

function digestOf(source: Buffer, cache: Buffer): Buffer {
  return createHash("sha256").update(source).update(cache).digest();
}

function readCache(place: string, source: Buffer): Buffer | undefined {
  try {
    const file = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file);
      if (!found.isFile() || !isPrivate(found)) return undefined;
      const bytes = readFileSync(file);
      const cache = bytes.subarray(DIGEST_BYTES);
      return digestOf(source, cache).equals(bytes.subarray(0, DIGEST_BYTES)) ? cache : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Others may read it while it is written, or it may stay half written: the digest tells. */
function writeCache(place: string, source: Buffer, cache: Buffer): void {
  // What is there may have another owner or mode.
  rmSync(place, { force: true });
  writeFileSync(place, Buffer.concat([digestOf(source, cache), cache]), { flag: "wx", mode: 0o600 });
}

function removeOld(directory: string): void {
  for (const name of readdirSync(directory)) {
    const place = join(directory, name);
    if (OWN_NAME.test(name) && Date.now() - lstatSync(place).mtimeMs > KEPT_MS) rmSync(place);
  }
}

/** True if no other user can have written it, as `refuseForeign` has it, which is in a file that is loaded from here. */
function isPrivate({ uid, mode }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || (uid === own && (mode & 0o022) === 0);
}
