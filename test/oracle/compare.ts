import { codesOf, type Event, type Step } from "./observation.ts";
import type { Received, ReceivedRecord } from "./record-service.ts";

/** A difference between two builds in one case. */
export interface Difference {
  readonly case: string;
  /** The step, from 1; one more than there are for the whole case. */
  readonly step: number;
  readonly command: string;
  /**
   * Of a step: `exit`, `file:NAME`, `event:NAME` and `event:NAME.MEMBER`, `stdout`, `stderr`, `command`. Of the whole case:
   * `received` and `received.FIELD`, `held` (the last values of a key), `end` (its last exit code).
   */
  readonly where: string;
  /** What the old build has there; `undefined` for nothing. */
  readonly old: string | undefined;
  readonly new: string | undefined;
  /** The codes of the errors of the step, or of the whole case, in the old and the new build. */
  readonly codes: readonly [old: string, new: string];
}

/**
 * All differences between what two builds did in a case. Steps are compared until one ends otherwise, as the steps after
 * it are others; records are compared over the whole case, whose number is one more than that of the last step.
 */
export function compareSteps(name: string, old: readonly Step[], fresh: readonly Step[]): Difference[] {
  const ofSteps: Difference[] = [];
  const length = Math.max(old.length, fresh.length);
  let isApart = false;
  for (let at = 0; at < length; at++) {
    const [before, after] = [old[at], fresh[at]];
    const { command } = (before ?? after)!;
    const codes = [codesOf(before), codesOf(after)] as const;
    for (const [where, was, is] of compareStep(before, after))
      ofSteps.push({ case: name, step: at + 1, command, where, old: was, new: is, codes });
    isApart =
      at + 1 < length &&
      (plainly(before?.command) !== plainly(after?.command) || before?.exit !== after?.exit);
    if (isApart) break;
  }
  const codes = [codesOf(...old), codesOf(...fresh)] as const;
  const received = (steps: readonly Step[]): readonly Received[] => steps.flatMap((step) => step.received);
  const whole = compareReceived(received(old), received(fresh));
  const [was, is] = [old.at(-1)?.exit, fresh.at(-1)?.exit];
  if (isApart && was !== is) whole.push(["end", was, is]);
  const ofCase = whole.map(([where, one, other]) => ({
    case: name,
    step: length + 1,
    command: "all of them",
    where,
    old: one,
    new: other,
    codes,
  }));
  return [...ofCase, ...ofSteps];
}

type Found = readonly [where: string, old: string | undefined, fresh: string | undefined];

function compareStep(old: Step | undefined, fresh: Step | undefined): readonly Found[] {
  const found: Found[] = [];
  const add = (where: string, was: string | undefined, is: string | undefined): void => {
    if (was !== is) found.push([where, was, is]);
  };
  add("exit", old?.exit, fresh?.exit);
  add("command", plainly(old?.command), plainly(fresh?.command));
  if (found.length > 0 || old === undefined || fresh === undefined) return found;
  for (const name of namesOf(old.files, fresh.files)) {
    const [was, is] = [old.files.get(name), fresh.files.get(name)];
    if (was === undefined || is === undefined) add(`file:${name}`, was?.join("\n"), is?.join("\n"));
    else add(`file:${name}`, without(was, is).join("\n"), without(is, was).join("\n"));
  }
  const [was, is] = [old, fresh].map(({ events }) => events.map((event) => JSON.stringify(event)));
  for (const [a, b] of pairLeft(was!, is!, eventIn)) {
    found.push(...compareMembers(`event:${/"event":"(\w*)"/.exec(a ?? b ?? "")?.[1]}`, a, b));
  }
  for (const part of ["stdout", "stderr"] as const)
    add(part, without(old[part], fresh[part]).join("\n"), without(fresh[part], old[part]).join("\n"));
  return found;
}

/** A command without the name of its doubt, which not every build gives. */
function plainly(command: string | undefined): string | undefined {
  return command?.replace(/--in-doubt(?:-file)? (?:DOUBT-\d+=)?/, "--in-doubt ");
}

/** Records in any order; then, if they are the same, the values that each key ends with. */
function compareReceived(old: readonly Received[], fresh: readonly Received[]): Found[] {
  const found: Found[] = [];
  for (const target of namesOf(byTarget(old), byTarget(fresh))) {
    const texts = (all: readonly Received[]): string[] =>
      (byTarget(all).get(target) ?? []).flatMap(({ records, isApplied }) =>
        records.map((record) => `${isApplied ? "" : "not applied: "}${JSON.stringify(sortMembers(record))}`),
      );
    const left = pairLeft(texts(old), texts(fresh), keyIn);
    for (const [was, is] of left) {
      if (was !== undefined && is !== undefined) found.push(...compareMembers("received", was, is));
      else found.push(["received", was && `${target} ${was}`, is && `${target} ${is}`]);
    }
    if (left.length > 0) continue;
    const [was, is] = [heldBy(byTarget(old).get(target)), heldBy(byTarget(fresh).get(target))];
    for (const key of namesOf(was, is)) found.push(["held", was.get(key), is.get(key)]);
  }
  return found.filter(([, was, is]) => was !== is);
}

function byTarget(received: readonly Received[]): Map<string, Received[]> {
  const targets = new Map<string, Received[]>();
  for (const request of received) {
    targets.set(request.target, [...(targets.get(request.target) ?? []), request]);
  }
  return targets;
}

/** The fields of each key after all updates. */
function heldBy(received: readonly Received[] = []): Map<string, string> {
  const held = new Map<string, ReceivedRecord>();
  for (const { records, isApplied } of received) {
    for (const record of isApplied ? records : []) {
      if (record["cle"] === undefined) continue;
      const key = JSON.stringify(record["cle"]);
      held.set(key, { ...held.get(key), ...record });
    }
  }
  return new Map([...held].map(([key, record]) => [key, JSON.stringify(sortMembers(record))]));
}

/** Fields made from headers are lower case, which not every build makes them. */
function sortMembers(record: ReceivedRecord): ReceivedRecord {
  const members = Object.entries(record).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function keyIn(record: string): string {
  return /"(?:cle|num_commande)":"((?:[^"\\]|\\.)*)"/.exec(record)?.[1] ?? "";
}

/** Members that differ; the whole texts if one is missing. */
function compareMembers(where: string, was: string | undefined, is: string | undefined): Found[] {
  if (was === undefined || is === undefined) return [[where, was, is]];
  const [old, fresh] = [parse(was), parse(is)];
  const members = Object.keys({ ...old, ...fresh });
  return members
    .map((name): Found => [`${where}.${name}`, show(old[name]), show(fresh[name])])
    .filter(([, a, b]) => a !== b);
}

function parse(text: string): Event {
  const mark = "not applied: ";
  if (!text.startsWith(mark)) return JSON.parse(text) as Event;
  return { ...(JSON.parse(text.slice(mark.length)) as Event), "(applied)": false };
}

function show(value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  // The order of members says nothing.
  return JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Texts that are said of one thing. */
function eventIn(event: string): string {
  const [, name = ""] = /"event":"(\w*)"/.exec(event) ?? [];
  const [, at = ""] = name === "summary" ? [] : (/"(?:line|batch|run)":("?[^",}]*)/.exec(event) ?? []);
  return `${name} ${at}`;
}

/** What is left of two lists without what both hold: pairs with one subject, in order. */
function pairLeft(
  old: readonly string[],
  fresh: readonly string[],
  subject: (text: string) => string = () => "",
): (readonly [string | undefined, string | undefined])[] {
  const subjects = new Map<string, [string[], string[]]>();
  for (const [side, list] of [without(old, fresh), without(fresh, old)].entries()) {
    for (const text of list) {
      const pair = subjects.get(subject(text)) ?? [[], []];
      pair[side]!.push(text);
      subjects.set(subject(text), pair);
    }
  }
  return Array.from(subjects.values()).flatMap(([was, is]) =>
    Array.from({ length: Math.max(was.length, is.length) }, (_, at) => [was[at], is[at]] as const),
  );
}

function without(list: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return list.filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

function namesOf(...maps: readonly (ReadonlyMap<string, unknown> | undefined)[]): Set<string> {
  return new Set(maps.flatMap((map) => Array.from(map?.keys() ?? [])));
}
