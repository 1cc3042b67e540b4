import {
  ADD_UP,
  AS_NUMBER,
  AS_QUANTITY,
  AS_FLAG,
  AS_LIST,
  asText,
  inProfile,
  inTable,
  option,
  REPLACE,
} from "./declaration.ts";
import {
  AS_TEXTS,
  asGiven,
  DECIDES_NOTHING,
  flag,
  KEPT,
  NO_VARIABLE,
  NOT_IN_CONFIG,
  NOT_KEPT,
  NOT_PINNED,
  refused,
  REPEATED,
  text,
  texts,
  unwritten,
  unwrittenChoice,
} from "./output.ts";
import {
  countFrom,
  parseBytes,
  parseConcurrency,
  parseDuration,
  parseRate,
  parseStatuses,
  parseTimeout,
} from "./values.ts";

/** Options for requests. A run keeps them, but another value at its resume changes no record. */
const SENDING = {
  commands: { push: true, plan: true, resume: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  records: DECIDES_NOTHING,
  mended: REPEATED,
  init: NOT_PINNED,
} as const;

const NO_KEYS = refused("shards send no keys", "leave it out, or push without a plan");

/** The group "Sending". */
export const SENDING_OPTIONS = {
  batchSize: option({
    ...SENDING,
    form: text("<rows>", countFrom(1)),
    help: "most records per request (default: 500)",
    config: [inTable(AS_NUMBER, REPLACE)],
  }),
  batchBytes: option({
    ...SENDING,
    form: unwritten(parseBytes),
    help: "most bytes per request (default: 1MiB)",
    commands: {},
    config: [inTable(AS_QUANTITY, REPLACE)],
  }),
  compress: option({
    ...SENDING,
    form: unwrittenChoice(["gzip"]),
    help: "compress request bodies, for services that accept that",
    commands: {},
    config: [inTable(asText(), REPLACE)],
  }),
  concurrency: option({
    ...SENDING,
    form: text("<number>", parseConcurrency),
    help: "requests in flight; auto, the default: as many as the service can handle, auto:N: N at most",
    config: [inTable(AS_QUANTITY, REPLACE)],
  }),
  rate: option({
    ...SENDING,
    form: text("<number>", parseRate),
    help: "most requests per second",
    config: [inTable(AS_QUANTITY, REPLACE)],
  }),
  timeout: option({
    ...SENDING,
    form: text("<time>", parseTimeout),
    help: "time for one request (default: 60s, 300s for creates)",
    config: [inTable(AS_QUANTITY, REPLACE)],
  }),
  retries: option({
    ...SENDING,
    form: text("<number>", countFrom(0)),
    help: "tries after the first (default: 4)",
    config: [inTable(AS_NUMBER, REPLACE)],
  }),
  maxWait: option({
    ...SENDING,
    form: text("<time>", parseDuration),
    help: "how long the service may ask to wait, in total (default: 15m)",
    config: [inTable(AS_QUANTITY, REPLACE)],
  }),
  late: option({
    ...SENDING,
    form: text("<time>", parseDuration),
    help: "how long rows wait after an update of their key that was given up and sent again (default: 30s)",
    config: [inTable(AS_QUANTITY, REPLACE)],
  }),
  maxFailed: option({
    ...SENDING,
    form: text("<number>", countFrom(1)),
    help: "stop after this many failed batches in a row (default: 5)",
    config: [inTable(AS_NUMBER, REPLACE)],
  }),
  atomicBatches: option({
    ...SENDING,
    form: flag(),
    help: "the service applies a batch as a whole or not at all",
    config: [inTable(AS_FLAG, REPLACE)],
  }),
  safeStatus: option({
    ...SENDING,
    form: text("<list>", parseStatuses),
    help: "statuses that mean that nothing was applied, such as 503",
    config: NOT_IN_CONFIG,
  }),
  okMsg: option({
    ...SENDING,
    form: texts("<text>", AS_TEXTS, asGiven<readonly string[]>),
    help: 'a msg that means success beside "Update Items OK."; {n}: the number of records of the request',
    config: [inProfile(AS_LIST, ADD_UP, "okMessages")],
  }),
  idempotencyKey: option({
    ...SENDING,
    form: flag(),
    help: "creates carry an Idempotency-Key, and are sent again if the answer is lost; for services that honour it",
    config: [inTable(AS_FLAG, REPLACE)],
    commands: { push: true, plan: NO_KEYS, resume: true },
  }),
  grace: option({
    ...SENDING,
    form: text("<time>", parseDuration),
    help: "time for requests in flight after a signal (default: 25s)",
    config: [inTable(AS_QUANTITY, REPLACE)],
    journal: NOT_KEPT,
  }),
};
