import { userInfo } from "node:os";
import { isAbsolute, posix, resolve, win32 } from "node:path";
import type { Readable } from "node:stream";
import { packDay } from "../fields/date/calendar.ts";
import type { DeclaredField, FieldOptions } from "../fields/field-options.ts";
import type { RunEvent } from "../model/event.ts";
import type { StopSignal } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { nameState } from "../report/summary-lines.ts";
import { given } from "../options/declaration.ts";
import { planOptions } from "../options/derive.ts";
import { READING_OPTIONS } from "../options/reading.ts";
import type { OptionValues } from "../options/table.ts";
import type { RunRequest } from "../push/check.ts";
import { checkReadOptions, type ReadOptions } from "../read/read-options.ts";
import type { Reporter } from "../report/reporter.ts";
import type { OutputStream } from "../report/terminal-lines.ts";

/** The options of a command, and the fields that configs declare. */
interface Asked {
  readonly values: OptionValues;
  readonly declared: ReadonlyMap<string, DeclaredField>;
  readonly configColumns?: ReadonlySet<string>;
}

/** The request of a command for its inputs; a program names its input in place of standard input. Throws a usage error. */
export function requestOf(
  files: readonly string[],
  asked: Asked,
  { now, inputName }: Pick<Io, "now" | "inputName">,
): RunRequest {
  const { values } = asked;
  const { onInvalid = "stop", onRepeat = "all", pinned = false } = values;
  const fields = fieldOptionsOf(asked, now());
  const { expectRows: rows, expectSum: sums } = values;
  const { drop: dropped } = fields;
  const flatten = values.flatten === true ? dropped : undefined;
  return {
    files,
    nameOf: (path) => (path === "-" ? inputName : undefined),
    read: { ...readingOf(values), flatten, declared: declaredNames(fields), dropped },
    fields,
    onInvalid,
    onRepeat,
    expected: given({ rows, sums }),
    isPinned: pinned,
    optionPlan: planOptions(values),
    maxInputBytes: values.maxInputBytes,
  };
}

/** The files of a request as they are named in messages. */
export function namesOf({ files, nameOf }: Pick<RunRequest, "files" | "nameOf">): readonly string[] {
  return files.map((file) => (file === "-" ? (nameOf?.(file) ?? file) : file));
}

/** All names by which options and config refer to columns and fields. */
function declaredNames({ map, keep, types, fields }: FieldOptions): string[] {
  const mapped = map.flatMap(({ column, field }) => [column, field]);
  return [...mapped, ...keep, ...types.keys(), ...(fields?.keys() ?? [])];
}

/** The options of the group "Reading". Throws a usage error if two contradict each other. */
function readingOf(values: OptionValues): ReadOptions {
  const names = Object.keys(READING_OPTIONS) as (keyof typeof READING_OPTIONS)[];
  const read: ReadOptions = Object.fromEntries(names.map((name) => [name, values[name]]));
  checkReadOptions(read);
  return read;
}

function fieldOptionsOf({ values, declared, configColumns }: Asked, began: Date): FieldOptions {
  const { map = [], drop = [], keep = [], type = new Map(), set = new Map(), null: nulls = [] } = values;
  const { dateFormat, decimal, timeZone, pivotYear, keyLiteral: keyLiterals } = values;
  const { totals, sparse, empty = "omit", only, otherColumns } = values;
  return {
    map,
    drop,
    keep,
    types: type,
    set,
    nulls,
    pins: given({ dateFormat, decimal, timeZone, pivotYear, keyLiterals }),
    today: packDay(began),
    fields: declared,
    empty,
    ...given({ only, totals, sparse, otherColumns, configColumns, isFlattened: values.flatten }),
  };
}

/** The directory of the kept runs: `--state-dir`, else one of the user's. Throws a machine error if there is none. */
export function stateRoot(
  { stateDir }: OptionValues,
  { env, cwd }: Pick<Io, "env" | "cwd">,
  platform: NodeJS.Platform = process.platform,
): string {
  const root = stateDir === undefined ? userDirectory("state", env, platform) : resolve(cwd, stateDir);
  if (root !== undefined) return root;
  throw new RecPushError(
    "state-directory",
    "there is no directory in which the runs could be kept: HOME names none, and the system knows no home directory of this user",
    { hint: "name a directory that stays from one command to the next: --state-dir DIR, or set HOME" },
  );
}

/** By purpose: the variable for it, the usual place in the home directory, and both on Windows. */
const USER_PLACES = {
  state: ["XDG_STATE_HOME", ".local/state", "LOCALAPPDATA", "AppData/Local"],
  config: ["XDG_CONFIG_HOME", ".config", "APPDATA", "AppData/Roaming"],
} as const;

/**
 * The directory of rec-push for a purpose (XDG Base Directory Specification: a relative variable is ignored). On Windows
 * runs are kept where nothing roams. `undefined` if the user has no home directory. It is never relative, because
 * otherwise the working directory would decide.
 */
export function userDirectory(
  purpose: keyof typeof USER_PLACES,
  env: Io["env"],
  platform: NodeJS.Platform,
): string | undefined {
  const isWindows = platform === "win32";
  const paths = isWindows ? win32 : posix;
  const [xdg, usual, ofWindows, usualOnWindows] = USER_PLACES[purpose];
  const named = [env[xdg], isWindows ? env[ofWindows] : undefined].find(
    (place) => place !== undefined && paths.isAbsolute(place),
  );
  if (named !== undefined) return paths.join(named, "rec-push");
  const home = homeDirectory(isWindows ? {} : env);
  return home && paths.join(home, isWindows ? usualOnWindows : usual, "rec-push");
}

/** `HOME` or, if it is missing, empty or relative, the one in the system's list of users. */
function homeDirectory({ HOME: home = "" }: Io["env"]): string | undefined {
  if (isAbsolute(home)) return home;
  try {
    return userInfo().homedir;
  } catch {
    // Node throws for a user whom the system does not know, as in some containers.
    return undefined;
  }
}

/** The state directory that the command names; `undefined` if it uses the usual one. */
export function namedState({ stateDir }: OptionValues, { cwd }: Pick<Io, "cwd">): string | undefined {
  return stateDir === undefined ? undefined : resolve(cwd, stateDir);
}

/** A reporter in whose texts every command finds the state directory of this one. */
export function namingState(reporter: Reporter, stateDir: string | undefined): Reporter {
  if (stateDir === undefined) return reporter;
  const name = (text: string): string => nameState(text, stateDir);
  const named = (event: RunEvent): RunEvent => {
    if (event.event === "notice") return { ...event, text: name(event.text) };
    if (event.event !== "summary") return event;
    return { ...event, stateDir, reason: name(event.reason), next: event.next.map(name) };
  };
  return {
    ...reporter,
    emit: (event) => reporter.emit(named(event)),
    fail: (failure) => reporter.fail(failure.reworded(name)),
  };
}

/** A person at a terminal. */
export interface Asker {
  readonly tell: (lines: readonly string[]) => void;
  /**
   * A line that the person types, trimmed; `undefined` if they broke off, or if `signal` did. `isHidden`: the typed text, a
   * secret, is not shown.
   */
  readonly line: (
    prompt: string,
    how?: { readonly isHidden?: boolean; readonly signal?: AbortSignal | undefined },
  ) => Promise<string | undefined>;
}

/** Everything that `main` takes from its process; tests pass their own. */
export interface Io {
  readonly stdin: Readable;
  /** The name of standard input for messages, for a program; `<stdin>` unless said. */
  readonly inputName?: string | undefined;
  /** Takes the events in place of the screen: of a program that imports rec-push. */
  readonly program?: Reporter | undefined;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The first directory in which a config is looked for. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current time. */
  readonly now: () => Date;
  /** Opens what asks the user; `undefined` if nobody is there to answer. */
  readonly openAsker?: (() => Promise<Asker>) | undefined;
  /** Calls `listener` at every SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
}
