import { createServer, type ServerResponse } from "node:http";
import { RecordDigest } from "./digest.ts";
import type { SinkReport, SinkSettings } from "./sink-process.ts";

const settings = JSON.parse(process.argv[2] ?? "{}") as SinkSettings;

let digest = new RecordDigest();
let report = emptyReport();
/** Requests that the limit still allows: a bucket of one second's requests that fills evenly. */
let allowance = { requests: settings.perSecond ?? 0, atMs: performance.now() };

function emptyReport(): SinkReport {
  return { requests: 0, refused: 0, bytes: 0, firstMs: undefined, lastMs: undefined, digest: undefined };
}

/** The second that is counted if the limit is announced. */
let second = { startMs: -Infinity, requests: 0 };

/** Counts a request; the headers say what is left in this second. */
function countInSecond(perSecond: number): { isOver: boolean; headers: Record<string, string> } {
  const nowMs = performance.now();
  if (nowMs >= second.startMs + 1000) second = { startMs: nowMs, requests: 0 };
  second.requests += 1;
  const left = Math.max(0, perSecond - second.requests);
  return {
    isOver: second.requests > perSecond,
    headers: { "ratelimit-policy": `"bench";q=${perSecond};w=1`, ratelimit: `"bench";r=${left};t=1` },
  };
}

function isOverLimit(perSecond: number): boolean {
  const nowMs = performance.now();
  const full = Math.min(perSecond, allowance.requests + ((nowMs - allowance.atMs) / 1000) * perSecond);
  allowance = { requests: full < 1 ? full : full - 1, atMs: nowMs };
  return full < 1;
}

function answer(
  response: ServerResponse,
  status: number,
  msg: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ msg }));
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ ...report, digest: settings.verify ? digest.toString() : undefined }));
    report = emptyReport();
    digest = new RecordDigest();
    return;
  }
  const nowMs = performance.now();
  report = { ...report, requests: report.requests + 1, firstMs: report.firstMs ?? nowMs };
  const { perSecond, tellsLimit = false } = settings;
  const told = tellsLimit && perSecond !== undefined ? countInSecond(perSecond) : undefined;
  const isRefused = told?.isOver ?? (perSecond !== undefined && isOverLimit(perSecond));
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (settings.verify) chunks.push(chunk);
  });
  request.on("end", () => {
    if (isRefused) {
      report = { ...report, refused: report.refused + 1 };
      answer(response, 429, "Too many requests.", told?.headers);
      return;
    }
    if (settings.verify) {
      const records = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>[];
      for (const record of records) digest.add(record);
    }
    const accept = (): void => {
      report = { ...report, bytes: report.bytes + bytes, lastMs: performance.now() };
      answer(response, 200, "Update Items OK.", told?.headers);
    };
    if (settings.latencyMs === undefined) accept();
    else setTimeout(accept, settings.latencyMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? (address?.port ?? 0) : 0}\n`);
});
