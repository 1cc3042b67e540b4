/** One request that would change something, as shown on the page and by `GET /sandbox/requests`. */
export interface LoggedRequest {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Empty if the path names none. */
  readonly table: string;
  /** Records in the body. */
  readonly records: number;
  readonly applied: number;
  readonly status: number | "dropped" | "no answer" | "client gone";
  /** The `msg`, the fault that struck, or what went wrong internally. */
  readonly note: string;
}

/** Counts since the start. */
export interface RequestCounts {
  readonly requests: number;
  /** Requests per HTTP status, plus `dropped`, `no answer` and `client gone`. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly recordsApplied: number;
}

const keptRequests = 50;

/** The last requests, and counts of all of them: bounded, however long the sandbox runs. */
export class RequestLog {
  readonly #last: LoggedRequest[] = [];
  readonly #statuses = new Map<string, number>();
  #requests = 0;
  #recordsApplied = 0;

  add(entry: LoggedRequest): void {
    this.#requests += 1;
    this.#recordsApplied += entry.applied;
    const status = String(entry.status);
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#last.push(entry);
    if (this.#last.length > keptRequests) this.#last.shift();
  }

  counts(): RequestCounts {
    return {
      requests: this.#requests,
      statuses: Object.fromEntries(this.#statuses),
      recordsApplied: this.#recordsApplied,
    };
  }

  /** Oldest first, at most 50. */
  last(): readonly LoggedRequest[] {
    return this.#last;
  }
}
