/** An open input; the function that opened it closes it. */
export interface Source {
  /** The path as given, or `<stdin>`. */
  readonly name: string;
  /** Size as stored; the packed size if the input is packed. */
  readonly bytes: number;
  /** True where the size of its content is known only after it was read once. */
  readonly isPacked?: boolean;
  /** The open file, for another thread of this process; valid until {@link Source.close}. */
  readonly fd?: number;
  /**
   * The unpacked bytes from the beginning; may be called several times, also at once. A chunk is lent: whoever needs its
   * bytes after asking for the next one copies them.
   */
  open(): AsyncIterable<Buffer>;
  /** Of an input that can be read only once: keeps its spooled copy at this path, so that a later process reads it. */
  readonly keep?: (path: string) => Promise<void>;
  /** Ends reading and deletes the spooled copy, unless it is kept, of an input that can be read only once. */
  close(): Promise<void>;
}
