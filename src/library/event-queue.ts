/** From this many events on, a run waits for its reader. */
const MOST_WAITING = 1000;

/** Events on their way to a reader that takes them at its own pace. */
export class EventQueue<T> {
  #events: T[] = [];
  #at = 0;
  #isEnded = false;
  #failure: unknown;
  /** False once nobody waits for events: then none are kept. */
  #isRead: boolean;
  #isPaced = true;
  #wakeReader = (): void => undefined;
  #wakeWriter = (): void => undefined;

  constructor(isRead: boolean) {
    this.#isRead = isRead;
  }

  /** Adds an event, however many there are. */
  add(event: T): void {
    if (!this.#isRead) return;
    this.#events.push(event);
    this.#wakeReader();
  }

  /** Resolves once the reader is near; `undefined` if it is. */
  caughtUp(): Promise<void> | undefined {
    if (!this.#isFull()) return undefined;
    return new Promise((resolve) => (this.#wakeWriter = resolve));
  }

  /** Lets the writer go on from now on, whether or not the reader comes. */
  unpace(): void {
    this.#isPaced = false;
    this.#wakeWriter();
  }

  /** Nobody reads any further. */
  leave(): void {
    this.#isRead = false;
    this.#events = [];
    this.#at = 0;
    this.#wakeWriter();
  }

  /** No event follows; `failure` is thrown to the reader after the last one. */
  end(failure?: unknown): void {
    this.#isEnded = true;
    this.#failure = failure;
    this.#wakeReader();
  }

  /** The next event; `undefined` after the last one. Throws the failure once. */
  async next(): Promise<T | undefined> {
    while (this.#at === this.#events.length) {
      if (this.#isEnded) {
        const failure = this.#failure;
        this.#failure = undefined;
        if (failure !== undefined) throw failure;
        return undefined;
      }
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
    const event = this.#events[this.#at++];
    if (this.#at === this.#events.length) {
      this.#events = [];
      this.#at = 0;
    }
    if (!this.#isFull()) this.#wakeWriter();
    return event;
  }

  #isFull(): boolean {
    return this.#isPaced && this.#isRead && this.#events.length - this.#at >= MOST_WAITING;
  }
}
