import { createHash } from "node:crypto";
import {
  fstatSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";

/** V8's code cache of the command's own files. */
export interface CodeCache {
  /** Loads a CommonJS file; the files beside it that it requires too. */
  readonly load: (file: string) => unknown;
  /** Writes what was compiled, lazily compiled functions with it. Never throws. */
  readonly keep: (uptimeSeconds?: number) => void;
}

type Wrapped = (exports: unknown, require: (id: string) => unknown, filename: string) => void;

interface Compiled {
  readonly script: Script;
  readonly source: string;
  readonly place: string;
}

/** A shorter file is compiled sooner than its cache is read. */
const SHORTEST = 30_000;
/** V8 has dropped the code of a start by the end of a long run. */
const LONG_SECONDS = 5;
const DIGEST_BYTES = 32;
/** The build makes it: the one file that has import() in it, which Node 20 wants to have loaded itself. */
const IMPORTER = "./import-package.js";

/**
 * What `module.enableCompileCache` does from Node 22 on: a start need not compile again what the last one compiled. V8
 * itself takes a cache only if version and flags are its own, but of the source it compares the length alone and of the
 * cache nothing; so each is kept with a digest of both. Anything amiss, and the file is compiled.
 */
export function openCodeCache(directory: string): CodeCache {
  const loaded = new Map<string, { readonly exports: unknown }>();
  const compiled: Compiled[] = [];

  function load(file: string): unknown {
    const before = loaded.get(file);
    if (before !== undefined) return before.exports;
    const module = { exports: {} };
    loaded.set(file, module);
    const requirePackage = createRequire(file);
    const run = compile(file).runInThisContext() as Wrapped;
    const isOwn = (id: string): boolean => id.startsWith("./") && id !== IMPORTER;
    run(module.exports, (id) => (isOwn(id) ? load(join(dirname(file), id)) : requirePackage(id)), file);
    return module.exports;
  }

  function compile(file: string): Script {
    const source = readFileSync(file, "utf8");
    const place = source.length < SHORTEST ? undefined : join(directory, nameOf(file));
    const cachedData = place === undefined ? undefined : readCache(place, source);
    const script = new Script(`(function (exports, require, __filename) {${source}\n})`, {
      filename: file,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    const isCached = cachedData !== undefined && script.cachedDataRejected !== true;
    if (place !== undefined && !isCached) compiled.push({ script, source, place });
    return script;
  }

  return {
    load,
    keep: (uptimeSeconds = process.uptime()) => {
      if (compiled.length === 0 || uptimeSeconds > LONG_SECONDS) return;
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        if (!isPrivate(lstatSync(directory))) return;
        for (const { script, source, place } of compiled)
          writeCache(place, source, script.createCachedData());
      } catch {
        // The next start compiles again.
      }
    },
  };
}

/** One for each place where the command is installed, so that an update replaces it. */
function nameOf(file: string): string {
  return `${process.version}-${process.arch}-${createHash("sha256").update(file).digest("hex").slice(0, 16)}`;
}

function digestOf(source: string, cache: Buffer): Buffer {
  return createHash("sha256").update(source).update(cache).digest();
}

function readCache(place: string, source: string): Buffer | undefined {
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
function writeCache(place: string, source: string, cache: Buffer): void {
  // What is there may have another owner or mode.
  rmSync(place, { force: true });
  writeFileSync(place, Buffer.concat([digestOf(source, cache), cache]), { flag: "wx", mode: 0o600 });
}

/** True if no other user can have written it, as `refuseForeign` has it, which is in a file that is loaded from here. */
function isPrivate({ uid, mode }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || (uid === own && (mode & 0o022) === 0);
}
