import { foldSpaces, type FoldedText } from "./redact/folded-text.ts";
import { PatternFinder } from "./redact/pattern-finder.ts";
import type { PlacedText } from "./redact/placed-text.ts";
import { createReader } from "./redact/readings.ts";
import { secretPatterns, type SecretPattern } from "./redact/secret-patterns.ts";

const HIDDEN = "***";

/** A part of a text that contains a secret. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Makes a function that hides secrets in strings that come from the service, from errors, headers and URLs: in plain
 * and base64 form, also inside a longer base64 text, and each of them as URLs, JSON and HTML may write it, also nested.
 * Secrets of fewer than eight characters are hidden only as whole values. Takes time proportional to the length of the
 * text.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = new Set(secrets.filter((secret) => secret !== ""));
  const patterns = [...known].flatMap(secretPatterns);
  const finder = new PatternFinder(patterns);
  const read = createReader(patterns);
  // A service says the same of most batches.
  let last = { text: "", hidden: "" };
  return (text) => {
    if (text === last.text) return last.hidden;
    const spans: Span[] = [];
    for (const reading of read(text)) findSecrets(finder, reading, spans);
    last = { text, hidden: hide(text, spans) };
    return last.hidden;
  };
}

/** The same for secrets to which new ones may be added later. */
export function createGrowingRedactor(secrets: () => readonly string[]): (text: string) => string {
  let known: readonly string[] = [];
  let redact = createRedactor(known);
  return (text) => {
    const now = secrets();
    if (now.length !== known.length || now.some((secret, at) => secret !== known[at])) {
      known = now;
      redact = createRedactor(known);
    }
    return redact(text);
  };
}

function findSecrets(finder: PatternFinder<SecretPattern>, reading: PlacedText, spans: Span[]): void {
  const folded = foldSpaces(reading);
  finder.find(folded.units, folded.length, (pattern, end) => {
    const begin = end - pattern.units.length;
    if (pattern.needsRuns && !hasRuns(folded, begin, pattern)) return false;
    if (pattern.isAlone && !standsAlone(folded, begin, end)) return false;
    const { first, last } = boundsOf(folded, begin, end, pattern);
    const span = { start: reading.starts[first]!, end: reading.ends[last]! };
    if (pattern.isEscaped && span.end - span.start === last - first + 1) return false;
    spans.push(span);
    return true;
  });
}

function hasRuns({ firsts, lasts }: FoldedText, begin: number, { runs }: SecretPattern): boolean {
  return runs.every((run, at) => lasts[begin + at]! - firsts[begin + at]! + 1 >= run);
}

/** Of outer spaces, only as many belong to the secret as it has itself. */
function boundsOf(
  { firsts, lasts }: FoldedText,
  begin: number,
  end: number,
  { runs }: SecretPattern,
): { readonly first: number; readonly last: number } {
  if (runs.length === 1) return { first: firsts[begin]!, last: lasts[begin]! };
  return {
    first: Math.max(firsts[begin]!, lasts[begin]! - runs[0]! + 1),
    last: Math.min(lasts[end - 1]!, firsts[end - 1]! + runs.at(-1)! - 1),
  };
}

function standsAlone({ units, length }: FoldedText, begin: number, end: number): boolean {
  const before = String.fromCharCode(...units.subarray(Math.max(begin - 2, 0), begin));
  const after = String.fromCharCode(...units.subarray(end, Math.min(end + 2, length)));
  return !/[\p{L}\p{N}_]$/u.test(before) && !/^[\p{L}\p{N}_]/u.test(after);
}

function hide(text: string, spans: readonly Span[]): string {
  let hidden = "";
  let at = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    // A secret that overlaps the one before is hidden together with it.
    if (start >= at) hidden += text.slice(at, start) + HIDDEN;
    at = end;
  }
  return hidden + text.slice(at);
}
