import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";

/** Tells whether two programs sent the same records, in whatever order and batches. */
class RecordDigest {
  #count = 0;
  readonly #sums = new Uint32Array(4);

  add(record: Readonly<Record<string, unknown>>): void {
    const members = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
    const hash = createHash("md5").update(JSON.stringify(members)).digest();
    for (let word = 0; word < 4; word += 1)
      this.#sums[word] = (this.#sums[word] ?? 0) + hash.readUInt32LE(word * 4);
    this.#count += 1;
  }

  /** Number of records and a sum of their hashes. */
  toString(): string {
    return `${this.#count}:${[...this.#sums].map((sum) => sum.toString(16).padStart(8, "0")).join("")}`;
  }
}

/** The behaviour of the service to which the commands push. */
export interface SinkSettings {
  /** Milliseconds between the body and the answer. */
  readonly latencyMs?: number;
  /** Requests per second; further ones are answered with 429. */
  readonly perSecond?: number;
  /** Reads the records for the digest; slow, so never in a timed push. */
  readonly verify?: boolean;
}

/** Everything that arrived since the last report; times are those of the sink's clock. */
export interface SinkReport {
  readonly requests: number;
  readonly refused: number;
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  readonly digest: string | undefined;
}

const { latencyMs = 0, perSecond, verify } = JSON.parse(process.argv[2] ?? "{}") as SinkSettings;
const NOTHING: SinkReport = {
  requests: 0,
  refused: 0,
  firstMs: undefined,
  lastMs: undefined,
  digest: undefined,
};

let digest = new RecordDigest();
let report = NOTHING;
/** Requests that the limit still allows: a bucket of one second's requests that fills evenly. */
let allowance = { requests: perSecond ?? 0, atMs: performance.now() };

/** True if a request is over the limit. */
function isOverLimit(limit: number): boolean {
  const nowMs = performance.now();
  const full = Math.min(limit, allowance.requests + ((nowMs - allowance.atMs) / 1000) * limit);
  allowance = { requests: full < 1 ? full : full - 1, atMs: nowMs };
  return full < 1;
}

function answer(response: ServerResponse, status: number, msg: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ msg }));
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ ...report, digest: verify ? digest.toString() : undefined }));
    report = NOTHING;
    digest = new RecordDigest();
    return;
  }
  const nowMs = performance.now();
  report = { ...report, requests: report.requests + 1, firstMs: report.firstMs ?? nowMs };
  const isOver = perSecond !== undefined && isOverLimit(perSecond);
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => void (verify && chunks.push(chunk)));
  request.on("end", () => {
    if (isOver) {
      report = { ...report, refused: report.refused + 1 };
      answer(response, 429, "Too many requests.");
      return;
    }
    if (verify)
      for (const record of JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>[])
        digest.add(record);
    const accept = (): void => {
      report = { ...report, lastMs: performance.now() };
      answer(response, 200, "Update Items OK.");
    };
    if (latencyMs === 0) accept();
    else setTimeout(accept, latencyMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? (address?.port ?? 0) : 0}\n`);
});
