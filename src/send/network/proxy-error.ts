/** A connection that the proxy did not make; nothing was sent through it. */
export class ProxyError extends Error {
  /** `PROXY_407` if the proxy answered with 407, else the code of the connection to it. */
  readonly code: string;
  /** The answer to CONNECT. */
  readonly status: number | undefined;

  constructor(code: string, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }

  /** True if the proxy refuses, rather than being unable to connect for now. */
  get isRefusal(): boolean {
    const { status = 0 } = this;
    return status >= 300 && status < 500 && status !== 408 && status !== 429;
  }
}

/** Wraps the error of a connection to a proxy. */
export function proxyError(error: unknown, origin: string): ProxyError {
  if (error instanceof ProxyError) return error;
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  const first = (errors?.[0] as { readonly code?: unknown } | undefined)?.code;
  const name = [code, first].find((one) => typeof one === "string") ?? "UNKNOWN";
  return new ProxyError(name, `the proxy ${origin} cannot be reached`);
}
