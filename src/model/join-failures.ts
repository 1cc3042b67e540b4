import { RecPushError } from "./failure.ts";

/** Joins several failures into one that reports them all; wrong usage takes precedence over a question about a file. */
export function joinFailures(failures: readonly RecPushError[]): RecPushError | undefined {
  const parts = failures.flatMap((failure) => (failure.parts.length === 0 ? failure : failure.parts));
  const first = parts.find(({ kind }) => kind === "usage") ?? parts[0];
  if (first === undefined || parts.length === 1) return first;
  const options = [...new Set(parts.flatMap((part) => part.options))];
  const hints = parts.flatMap(({ hint, options: { length } }) =>
    hint === undefined || length > 0 ? [] : hint,
  );
  const ready = options.length > 0 ? [`add ${options.join(" ")}`] : [];
  const hint = [...ready, ...new Set(hints)].join("\n");
  return new RecPushError(first.kind, first.code, parts.map(({ message }) => message).join("\n"), {
    parts,
    options,
    choices: parts.some(({ choices }) => choices === undefined)
      ? undefined
      : parts.flatMap(({ choices = [] }) => choices),
    ...(hint === "" ? {} : { hint }),
    ...(first.place === undefined ? {} : { place: first.place }),
  });
}
