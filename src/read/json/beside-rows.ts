import { MAX_EXPLORED_DEPTH } from "./json-explorer.ts";
import type { JsonScanner } from "./json-scan.ts";
import type { MemberTally } from "./member-tally.ts";
import { isLinks } from "./next-page.ts";

/**
 * Walks through the members beside the path to the rows, for a tally of what the service says about its answer. Arrays
 * are passed over, because they may be long: only their first element is looked at, and links one by one. `level` is the
 * depth of the object on the path that the members belong to.
 */
export class BesideRows {
  private readonly scanner: JsonScanner;
  /** The current name of the object on the path. */
  outerName = "";
  /** The names inside the current member, by depth; `undefined` for the elements of an array. */
  private names: (string | undefined)[] = [];
  /** In an array of failures, before its first element. */
  private inFailures = false;

  constructor(scanner: JsonScanner) {
    this.scanner = scanner;
  }

  open(tally: MemberTally, isObject: boolean, level: number): void {
    const { scanner } = this;
    const { depth } = scanner;
    if (this.inFailures) return this.meetFailure(tally);
    const isMember = depth === level + 1;
    if (isMember) this.names = [];
    if (isMember && isObject) tally.object();
    if (isMember && !isObject) this.inFailures = tally.isFailures(this.outerName);
    const inside = this.names[depth - level - 2] ?? this.outerName;
    const isToSee = isObject || this.inFailures || isLinks(inside);
    if (isToSee && depth < MAX_EXPLORED_DEPTH) scanner.captureDepth = depth;
    this.names[depth - level - 1] = undefined;
  }

  close(): void {
    this.inFailures = false;
  }

  name(name: string, level: number): void {
    this.names[this.scanner.depth - level - 1] = name;
  }

  scalar(tally: MemberTally, value: string, level: number): void {
    const { depth } = this.scanner;
    if (this.inFailures) return this.meetFailure(tally);
    if (depth === level) {
      tally.value(value);
      return;
    }
    const names = this.names.slice(0, depth - level).filter((name) => name !== undefined);
    if (names.length > 0) tally.deeperValue(names, value);
  }

  private meetFailure(tally: MemberTally): void {
    tally.filledArray();
    this.inFailures = false;
    this.scanner.captureDepth--;
  }
}
