import { RecPushError } from "./failure.ts";

/** Joins several failures into one that reports them all; wrong usage takes precedence over a question about a file. */
export function joinFailures(failures: readonly RecPushError[]): RecPushError | undefined {
  const parts = failures.flatMap((failure) => (failure.parts.length === 0 ? failure : failure.parts));
  const first = parts.find(({ kind }) => kind === "usage") ?? parts[0];
  if (first === undefined || parts.length === 1) return first;
  const wanted = [...new Set(parts.flatMap((part) => part.options))];
  const isAgreed = areAlike(parts) && !areContrary(wanted);
  const options = isAgreed ? wanted : [];
  const hints = parts.flatMap(({ hint, options: { length } }) =>
    hint === undefined || length > 0 ? [] : hint,
  );
  const ready = options.length > 0 ? [`add ${options.join(" ")}`] : [];
  if (!isAgreed) ready.push("each needs options of its own: push them one after the other");
  const hint = [...ready, ...new Set(hints)].join("\n");
  return new RecPushError(first.kind, first.code, parts.map(({ message }) => message).join("\n"), {
    parts,
    options,
    choices:
      !isAgreed || parts.some(({ choices }) => choices === undefined)
        ? undefined
        : parts.flatMap(({ choices = [] }) => choices),
    hint: hint || undefined,
    place: first.place,
  });
}

/** True if all files that need options about columns need the same: a file that lacks such a column refuses its option. */
function areAlike(parts: readonly RecPushError[]): boolean {
  const byFile = new Map<string, Set<string>>();
  for (const { place, options } of parts) {
    if (place === undefined) continue;
    const ofFile = byFile.get(place.file) ?? new Set();
    for (const option of options) if (/^--(?:map|type|drop|keep) /.test(option)) ofFile.add(option);
    byFile.set(place.file, ofFile);
  }
  const [one = new Set(), ...others] = [...byFile.values()].filter(({ size }) => size > 0);
  return others.every((other) => other.size === one.size && [...other].every((option) => one.has(option)));
}

/** True if two options say different things of one column, or of one field: `--map 2=name` and `--map 2=city`. */
function areContrary(options: readonly string[]): boolean {
  const said = new Map<string, string>();
  return options.some((option) => {
    const [, flag, about, answer = ""] = /^(--map|--type) (.*)=([^=]*)$/s.exec(option) ?? [];
    if (about === undefined) return false;
    const before = said.get(`${flag} ${about}`);
    said.set(`${flag} ${about}`, answer);
    return before !== undefined && before !== answer;
  });
}
