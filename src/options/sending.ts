import {
  ADD_UP,
  AS_TEXTS,
  asGiven,
  choice,
  flag,
  IN_TABLE,
  KEPT,
  option,
  text,
  texts,
} from "./declaration.ts";
import {
  numberFrom,
  parseBytes,
  parseConcurrency,
  parseDuration,
  parseRate,
  parseStatuses,
  parseTimeout,
} from "./quantities.ts";

/** Options for requests. A run keeps them, but another value at its resume changes no record. */
const SENDING = {
  ...KEPT,
  group: "Sending:",
  commands: { push: true, plan: true, resume: true },
  config: IN_TABLE,
} as const;

export const SENDING_OPTIONS = {
  batchSize: option({
    ...SENDING,
    form: text("<rows>", numberFrom(1)),
    help: "most records per request (default: 500)",
  }),
  batchBytes: option({
    ...SENDING,
    form: text("<size>", parseBytes),
    help: "most bytes per request (default: 1MiB)",
    commands: {},
  }),
  compress: option({
    ...SENDING,
    form: choice("<how>", ["gzip"]),
    help: "compress request bodies, for services that accept that",
    commands: {},
  }),
  concurrency: option({
    ...SENDING,
    form: text("<number>", parseConcurrency),
    help: "requests in flight; auto, the default: as many as the service can handle, auto:N: N at most",
  }),
  rate: option({ ...SENDING, form: text("<number>", parseRate), help: "most requests per second" }),
  timeout: option({
    ...SENDING,
    form: text("<time>", parseTimeout),
    help: "time for one request (default: 60s, 300s for creates)",
  }),
  retries: option({
    ...SENDING,
    form: text("<number>", numberFrom(0)),
    help: "tries after the first (default: 4)",
  }),
  maxWait: option({
    ...SENDING,
    form: text("<time>", parseDuration),
    help: "how long the service may ask to wait, in total (default: 15m)",
  }),
  late: option({
    ...SENDING,
    form: text("<time>", parseDuration),
    help: "how long later rows wait after a time-out of an update with their key (default: 30s)",
  }),
  maxFailed: option({
    ...SENDING,
    form: text("<number>", numberFrom(1)),
    help: "stop after this many failed batches in a row (default: 5)",
  }),
  atomicBatches: option({
    ...SENDING,
    form: flag(),
    help: "the service applies a batch as a whole or not at all",
  }),
  safeStatus: option({
    ...SENDING,
    form: text("<list>", parseStatuses),
    help: "statuses that mean that nothing was applied, such as 503",
  }),
  okMsg: option({
    ...SENDING,
    form: texts("<text>", AS_TEXTS, asGiven<readonly string[]>),
    help: 'a msg that means success beside "Update Items OK."; {n}: the number of records of the request',
    config: [{ place: "profile", key: "okMessages" }],
    merge: ADD_UP,
  }),
  idempotencyKey: option({
    ...SENDING,
    form: flag(),
    help: "creates carry an Idempotency-Key, and are sent again if the answer is lost; for services that honour it",
    commands: { push: true, resume: true },
  }),
  grace: option({
    ...SENDING,
    form: text("<time>", parseDuration),
    help: "time for requests in flight after a signal (default: 25s)",
    journal: "nothing",
  }),
};
