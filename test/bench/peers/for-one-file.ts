// Written for the CSV files of this bench and for nothing else: columns, dialect and formats are known, every cell is
// checked, nothing is sent before the last row was read. The ratio of rec-push to it is the price of not knowing the
// file. It stops at anything that it does not expect.
import { createHash } from "node:crypto";
import { openSync, readSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { Pool } from "undici";
import { COLUMNS } from "../inputs.ts";

const [file = "", url = "", scratch = ""] = process.argv.slice(2);

const BLOCK_BYTES = 1 << 20;
const BATCH_RECORDS = 500;
const MOST_RECORD_BYTES = 1024;
const IN_FLIGHT = 8;
const [QUOTE, COMMA, MINUS, DOT, SLASH, LINE_FEED, RETURN] = [34, 44, 45, 46, 47, 10, 13];
const [OPENING, CLOSING, BACKSLASH, DELETE] = [123, 125, 92, 127];

type Write = (bytes: Buffer, start: number, end: number) => void;

function fail(what: string, at: number): never {
  throw new Error(`${what} at byte ${at} of a block`);
}

/** Hashes of keys: two equal ones could be a repeated key. */
let hashes = new Int32Array(1 << 16);
let keys = 0;

function noteHash(hash: number): void {
  const mask = hashes.length - 1;
  let slot = hash & mask;
  while (hashes[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & mask;
  hashes[slot] = hash;
}

function noteKey(hash: number): void {
  keys += 1;
  if (2 * keys > hashes.length) {
    const before = hashes;
    hashes = new Int32Array(2 * before.length);
    for (const known of before) if (known !== 0) noteHash(known);
  }
  noteHash(hash === 0 ? 1 : hash);
}

/** The records of one kind that wait for a full batch, and the batches made, in a file. */
class Batches {
  readonly spool: number;
  readonly body = Buffer.alloc(BATCH_RECORDS * MOST_RECORD_BYTES);
  readonly made: { start: number; bytes: number }[] = [];
  to = 0;
  records = 0;
  #spooled = 0;

  constructor(name: string) {
    this.spool = openSync(`${scratch}/${name}`, "w+");
  }

  endRecord(): void {
    this.body[this.to++] = CLOSING;
    this.records += 1;
    if (this.records === BATCH_RECORDS) this.endBatch();
  }

  endBatch(): void {
    if (this.records === 0) return;
    this.body[this.to++] = 93;
    writeSync(this.spool, this.body, 0, this.to);
    this.made.push({ start: this.#spooled, bytes: this.to });
    this.#spooled += this.to;
    this.to = 0;
    this.records = 0;
  }
}

const updates = new Batches("updates");
const creates = new Batches("creates");
let batches = updates;

function writeText(bytes: Buffer, start: number, end: number): void {
  const { body } = batches;
  let to = batches.to;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte < 32 || byte === QUOTE || byte === BACKSLASH || byte >= DELETE) fail("a letter", at);
    body[to++] = byte;
  }
  batches.to = to;
}

const writeKey: Write = (bytes, start, end) => {
  let hash = 0x81_1c_9d_c5 | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01_00_01_93);
  noteKey(hash);
  writeText(bytes, start, end);
};

const writeDate: Write = (bytes, start, end) => {
  if (end - start !== 10 || bytes[start + 2] !== SLASH || bytes[start + 5] !== SLASH) fail("a date", start);
  const day = 10 * (bytes[start]! - 48) + bytes[start + 1]! - 48;
  const month = 10 * (bytes[start + 3]! - 48) + bytes[start + 4]! - 48;
  if (!(day >= 1 && day <= 28 && month >= 1 && month <= 12)) fail("a date", start);
  const { body, to } = batches;
  for (let at = 0; at < 4; at++) body[to + at] = bytes[start + 6 + at]!;
  body[to + 4] = MINUS;
  body[to + 5] = bytes[start + 3]!;
  body[to + 6] = bytes[start + 4]!;
  body[to + 7] = MINUS;
  body[to + 8] = bytes[start]!;
  body[to + 9] = bytes[start + 1]!;
  batches.to = to + 10;
};

const writeAmount: Write = (bytes, start, end) => {
  const { body } = batches;
  let to = batches.to;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte >= 48 && byte <= 57) body[to++] = byte;
    else if (byte === COMMA) body[to++] = DOT;
    else if (byte !== 32) fail("an amount", at);
  }
  batches.to = to;
};

const WRITERS: readonly Write[] = [writeKey, writeText, writeDate, writeAmount, writeText, writeDate];
const NAMES = COLUMNS.map((name) => Buffer.from(`"${name}":"`));

/** One cell of the row; an empty one is left out, and a row without key is a create. */
function addCell(column: number, bytes: Buffer, start: number, end: number): void {
  if (column === 0) {
    batches = end > start ? updates : creates;
    batches.body[batches.to++] = batches.records === 0 ? 91 : COMMA;
    batches.body[batches.to++] = OPENING;
  }
  if (start === end) return;
  const { body } = batches;
  if (body[batches.to - 1] !== OPENING) body[batches.to++] = COMMA;
  const name = NAMES[column]!;
  let to = batches.to;
  for (let at = 0; at < name.length; at++) body[to++] = name[at]!;
  batches.to = to;
  WRITERS[column]!(bytes, start, end);
  body[batches.to++] = QUOTE;
}

/** Starts and ends of the cells of one row: it becomes a record once it is complete. */
const spans = new Int32Array(2 * COLUMNS.length);

function addRow(bytes: Buffer): void {
  for (let column = 0; column < COLUMNS.length; column++)
    addCell(column, bytes, spans[2 * column]!, spans[2 * column + 1]!);
  batches.endRecord();
}

/** Finds the cells of the row at `from`; returns where the next one begins, -1 if it is not complete. */
function scanRow(bytes: Buffer, from: number, length: number): number {
  let at = from;
  for (let column = 0; ; column++) {
    const isQuoted = bytes[at] === QUOTE;
    const start = isQuoted ? ++at : at;
    if (isQuoted) while (at < length && bytes[at] !== QUOTE) at++;
    else while (at < length && bytes[at] !== COMMA && bytes[at] !== LINE_FEED && bytes[at] !== RETURN) at++;
    const end = isQuoted ? at++ : at;
    if (bytes[at] === RETURN) at++;
    if (at >= length) return -1;
    if (column === COLUMNS.length) fail("a cell too many", at);
    spans[2 * column] = start;
    spans[2 * column + 1] = end;
    if (bytes[at++] !== LINE_FEED) continue;
    if (column !== COLUMNS.length - 1) fail("a short row", at);
    return at;
  }
}

let isHeader = true;
const input = openSync(file, "r");
const block = Buffer.alloc(2 * BLOCK_BYTES);
const hash = createHash("sha256");
let held = 0;
for (;;) {
  const read = readSync(input, block, held, BLOCK_BYTES, null);
  if (read === 0) break;
  hash.update(block.subarray(held, held + read));
  held += read;
  let at = 0;
  for (let next = scanRow(block, 0, held); next !== -1; next = scanRow(block, at, held)) {
    if (isHeader) isHeader = false;
    else addRow(block);
    at = next;
  }
  block.copyWithin(0, at, held);
  held -= at;
}
updates.endBatch();
creates.endBatch();

const journal = openSync(`${scratch}/journal`, "w");
let sum = 0;
function note(entry: object): void {
  const line = JSON.stringify(entry);
  sum = crc32(line, sum);
  writeSync(journal, `${sum.toString(16)} ${line}\n`);
}

note({ file, sha256: hash.digest("hex") });
const pool = new Pool(url, { connections: IN_FLIGHT });
const waiting = [updates, creates].flatMap(({ made, spool }) => made.map((batch) => ({ ...batch, spool })));

async function sendInTurn(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { spool, start, bytes } = next;
    const body = Buffer.allocUnsafe(bytes);
    readSync(spool, body, 0, bytes, start);
    note({ announced: start, bytes });
    const answer = await pool.request({
      path: "/api/items/commandes/",
      method: "POST",
      headers: { "content-type": "application/json", access_token: "bench" },
      body,
    });
    await answer.body.json();
    if (answer.statusCode !== 200) throw new Error(String(answer.statusCode));
    note({ accepted: start });
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, sendInTurn));
await pool.close();
