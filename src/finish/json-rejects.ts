import { isMarkerColumn, REJECTED_VALUE } from "../model/marker-columns.ts";
import type { splitMembers } from "../read/json/json-members.ts";
import type { ContentCursor } from "../read/text/content-cursor.ts";
import type { AddedCells, RejectsFormat } from "./rejects-format.ts";

const OPENING_BRACE = 0x7b;

/** Rows of JSON of any shape, as NDJSON: the members that are added, then those of the record unchanged. */
export class JsonRejects implements RejectsFormat {
  readonly #splitMembers: typeof splitMembers;
  #names: readonly string[] = [];

  constructor(split: typeof splitMembers) {
    this.#splitMembers = split;
  }

  head(_: ContentCursor, added: readonly string[]): Promise<Buffer> {
    this.#names = added;
    return Promise.resolve(Buffer.alloc(0));
  }

  async *row(text: AsyncIterable<Buffer>, added: AddedCells): AsyncGenerator<Buffer> {
    const own = this.#names.map((name, at) => `"${name}":${JSON.stringify(added[at])}`);
    yield Buffer.from(`{${own.join(",")}`);
    const held: Buffer[] = [];
    let isRecord: boolean | undefined;
    for await (const piece of text) {
      if (isRecord === undefined) {
        isRecord = piece[0] === OPENING_BRACE;
        if (!isRecord) yield Buffer.from(`,"${REJECTED_VALUE}":`);
      }
      // A record is never longer than the limit for a row; broken text in its place may be.
      if (isRecord) held.push(piece);
      else yield piece.filter((byte) => byte !== 0x0a && byte !== 0x0d) as Buffer;
    }
    const members = (isRecord === true ? this.#splitMembers(Buffer.concat(held).toString()) : [])
      .filter(({ name }) => !isMarkerColumn(name))
      .map(({ source }) => `,${source}`);
    yield Buffer.from(`${members.join("")}}\n`);
  }
}
