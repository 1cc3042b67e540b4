import { createHash, type Hash } from "node:crypto";
import type { RecordStretch } from "../model/record-list.ts";
import type { RecordKind } from "../model/record.ts";
import type { PreparedChunk } from "../prepare/packed-chunk.ts";

/** Of a record: where its row begins and ends, its line, and its size, which is negative for a create. */
const PLACE_NUMBERS = 4;
const COMMA = 44;

/**
 * A hash of rows: their verdicts, their places and their records. It is the same however they are cut into chunks, as each
 * sort of rows has one of its own.
 */
export class RowSum {
  readonly #rejected = sha256();
  readonly #empty = sha256();
  readonly #places = sha256();
  readonly #texts: Readonly<Record<RecordKind, Hash>> = { update: sha256(), create: sha256() };

  add({ records, rejected, empty }: PreparedChunk): void {
    for (const { start, line, end } of rejected) this.#rejected.update(`${start} ${line} ${end}\n`);
    for (const { start, line } of empty) this.#empty.update(`${start} ${line}\n`);
    for (const stretch of records.stretches) {
      this.#places.update(placesOf(stretch));
      for (const kind of ["update", "create"] as const) {
        const text = textOf(stretch, kind);
        if (text !== undefined) this.#texts[kind].update(text);
      }
    }
  }

  finish(): string {
    const { update, create } = this.#texts;
    return [this.#rejected, this.#empty, this.#places, update, create]
      .map((hash) => hash.digest("hex"))
      .join(" ");
  }
}

function sha256(): Hash {
  return createHash("sha256");
}

function placesOf({ of, from, to }: RecordStretch): Float64Array {
  const places = new Float64Array((to - from) * PLACE_NUMBERS);
  let at = 0;
  for (let index = from; index < to; index++) {
    const bytes = of.bytes(index);
    places[at++] = of.rowStart(index);
    places[at++] = of.rowEnd(index);
    places[at++] = of.line(index);
    places[at++] = of.kind(index) === "create" ? -bytes : bytes;
  }
  return places;
}

/** The records of one kind, which follow each other in the text, with a comma behind each; `undefined` if there is none. */
function textOf({ of, from, to }: RecordStretch, kind: RecordKind): Buffer | undefined {
  let first = from;
  while (first < to && of.kind(first) !== kind) first += 1;
  if (first === to) return undefined;
  let last = to - 1;
  while (of.kind(last) !== kind) last -= 1;
  const start = of.start(first);
  const length = of.start(last) + of.bytes(last) - start;
  const text = Buffer.allocUnsafe(length + 1);
  of.text.copy(text, 0, start, start + length);
  text[length] = COMMA;
  return text;
}
