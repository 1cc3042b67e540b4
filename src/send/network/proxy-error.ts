/** A connection that the proxy did not make; nothing went through it. */
export class ProxyError extends Error {
  /** `PROXY_407` where the proxy answered so, else the code of the connection to it. */
  readonly code: string;
  /** The answer to CONNECT. */
  readonly status: number | undefined;

  constructor(code: string, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }

  /** True where the proxy said that it will not, and not that it cannot for now. */
  get isRefusal(): boolean {
    const { status = 0 } = this;
    return status >= 300 && status < 500 && status !== 408 && status !== 429;
  }
}

/** The error of a connection to a proxy as one of it. */
export function proxyError(error: unknown, origin: string): ProxyError {
  if (error instanceof ProxyError) return error;
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  const first = (errors?.[0] as { readonly code?: unknown } | undefined)?.code;
  const name = [code, first].find((one) => typeof one === "string") ?? "UNKNOWN";
  return new ProxyError(name, `the proxy ${origin} is not reached`);
}
