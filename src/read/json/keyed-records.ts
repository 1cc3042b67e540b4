import type { MemberJudge } from "./member-judge.ts";

/** Digits only, or three of them in a row, as in `1001` and `ORD-2016-0001`; or random characters, as Firebase makes. */
const ID = /^\d+$|\d{3}|^(?=.*\d)[\w-]{20,}$/;
/** Weaker: `C1`, `a1@example.org`. */
const MAY_BE_ID = /[\d@]/;
/** Alike are records that share one of the first names. */
const MOST_NAMES = 64;
const IDS_SHOWN = 2;

/** One open object, and what its members look like. */
interface Level {
  readonly isUnderId: boolean;
  members: number;
  objects: number;
  /** The names of the objects in it that may be ids. */
  readonly ids: string[];
  idCount: number;
  areIds: boolean;
  /** The names in the first of these objects. */
  readonly names: Set<string>;
  areAlike: boolean;
  hasNames: boolean;
  isLikeFirst: boolean;
}

/** Where records are under their ids, and the first of the ids. */
export interface KeyedPlace {
  readonly path: readonly string[];
  readonly ids: readonly string[];
}

/**
 * Recognises an object that holds records under their ids, `{"1001":{...},"1002":{...}}`, as PHP and Firebase write
 * them: at least two objects with names in common, under names that are ids. Where nothing else can belong to a record,
 * one object under an id is enough, and names with any digit may be ids.
 */
export class KeyedRecords {
  readonly #judge: MemberJudge;
  /** By depth, counted from 1. */
  readonly #levels: (Level | undefined)[] = [];
  #certain: KeyedPlace | undefined;
  #likely: KeyedPlace | undefined;
  /** Whether the outermost object has a plain value that can belong to a record. */
  hasOwnValue = false;

  constructor(judge: MemberJudge) {
    this.#judge = judge;
  }

  /** The first such object, if there is one; to be asked when all was read. */
  get place(): KeyedPlace | undefined {
    return this.#certain ?? (this.hasOwnValue ? undefined : this.#likely);
  }

  /** A container opens at `depth`, as the member `name` of the object around it. */
  open(depth: number, isObject: boolean, name: string | undefined): void {
    const around = this.#levels[depth - 1];
    const isUnderId = isObject && name !== undefined && MAY_BE_ID.test(name);
    if (around !== undefined && isObject) around.objects++;
    if (around !== undefined && isUnderId) {
      around.idCount++;
      if (around.ids.length < IDS_SHOWN) around.ids.push(name);
      if (!ID.test(name)) around.areIds = false;
    }
    this.#levels[depth] = isObject ? newLevel(isUnderId) : undefined;
  }

  /** A name in the object at `depth`. */
  name(depth: number, name: string): void {
    const level = this.#levels[depth];
    if (level === undefined) return;
    level.members++;
    level.hasNames = true;
    const around = this.#levels[depth - 1];
    if (around === undefined || !level.isUnderId) return;
    if (around.names.has(name)) level.isLikeFirst = true;
    else if (around.idCount === 1 && around.names.size < MOST_NAMES) around.names.add(name);
  }

  /** A plain value of the member `name` of the outermost object. */
  value(name: string): void {
    if (this.#judge.kindOf(name) === "record") this.hasOwnValue = true;
  }

  /** The container at `depth` closes; `path` leads to it. */
  close(depth: number, path: readonly string[]): void {
    const level = this.#levels[depth];
    if (level === undefined) return;
    this.#levels[depth] = undefined;
    const around = this.#levels[depth - 1];
    if (around !== undefined && level.isUnderId && around.idCount > 1 && level.hasNames && !level.isLikeFirst)
      around.areAlike = false;
    const { ids, idCount, areIds, areAlike, members, objects } = level;
    if (!areAlike || idCount === 0) return;
    const place = { path: [...path], ids };
    if (idCount > 1 && areIds) this.#certain ??= place;
    else if (members === objects && idCount === members && (idCount > 1 || areIds)) this.#likely ??= place;
  }
}

function newLevel(isUnderId: boolean): Level {
  return {
    isUnderId,
    members: 0,
    objects: 0,
    ids: [],
    idCount: 0,
    areIds: true,
    names: new Set(),
    areAlike: true,
    hasNames: false,
    isLikeFirst: false,
  };
}
