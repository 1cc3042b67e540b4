/** What a program gives beside the options of the command line. */
export interface OwnOptions {
  /** Stops the run in order: no new batch, no retry; requests in flight get `grace`. The same push goes on with it. */
  readonly signal?: AbortSignal | undefined;
  /** The access token. */
  readonly token?: string | undefined;
  /** The client secret, for `auth: "oauth2"`. */
  readonly clientSecret?: string | undefined;
  /** Environment variables, in place of those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}
