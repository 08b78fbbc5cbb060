/** Loads a value and loads it again, as often as its price allows. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { signal, type ReadonlySignal } from "@preact/signals";
import { problemOf, readsHaveAPrice, type ApiProblem } from "./api.ts";

/** If the reader uses neither keyboard nor pointer for this long, the page loads nothing by itself. */
const IDLE_AFTER_MS = 600_000;
/** The interval is at least the duration of the last load times this number, so that a slow server gets fewer requests. */
const TIMES_OF_ANSWER = 10;
const LOCAL_EVERY_MS = 2_000;
const PRICED_EVERY_MS = 15_000;

let lastActiveMs = performance.now();
for (const event of ["keydown", "pointerdown", "pointermove", "wheel", "focus"]) {
  addEventListener(event, () => (lastActiveMs = performance.now()), { passive: true, capture: true });
}

export interface Loaded<Value> {
  /** The last value; a failed load keeps it. */
  readonly value: Value | undefined;
  /** Why the last load failed; undefined if it succeeded. */
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
}

export interface Polled<Value> {
  readonly state: ReadonlySignal<Loaded<Value>>;
  /** Loads now; the promise settles when the value is here. */
  refresh(): Promise<void>;
}

export interface PollOptions<Value> {
  /**
   * The interval between two loads, which a slow server makes longer; false loads once. The default is LOCAL_EVERY_MS, or
   * PRICED_EVERY_MS if each read has a price.
   */
  readonly everyMs?: number | false;
  /** The polling ends when this returns true for the loaded value. */
  readonly isFinal?: (value: Value) => boolean;
}

/**
 * @param key the name of the value: if the key changes, the hook drops the former value and loads anew
 * @param load loads the value; its signal aborts when the component goes away or the key changes
 */
export function usePolled<Value>(
  key: string,
  load: (aborted: AbortSignal) => Promise<Value>,
  options: PollOptions<Value> = {},
): Polled<Value> {
  const latest = useRef({ load, options });
  latest.current = { load, options };
  const poller = useMemo(() => new Poller<Value>(latest), [key]);
  useEffect(() => {
    poller.start();
    return () => poller.stop();
  }, [poller]);
  return poller;
}

interface Latest<Value> {
  readonly current: {
    readonly load: (aborted: AbortSignal) => Promise<Value>;
    readonly options: PollOptions<Value>;
  };
}

class Poller<Value> implements Polled<Value> {
  readonly state = signal<Loaded<Value>>({ value: undefined, problem: undefined, isLoading: true });
  readonly #latest: Latest<Value>;
  #stopped = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;
  #tookMs = 0;

  constructor(latest: Latest<Value>) {
    this.#latest = latest;
  }

  start(): void {
    this.#stopped = new AbortController();
    void this.refresh();
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  /** One load runs at a time; a call during a load waits for it and then loads once more. */
  async refresh(): Promise<void> {
    await this.#running;
    this.#running ??= this.#loadOnce().finally(() => (this.#running = undefined));
    await this.#running;
  }

  async #loadOnce(): Promise<void> {
    const { signal: aborted } = this.#stopped;
    if (aborted.aborted) return;
    clearTimeout(this.#timer);
    this.state.value = { ...this.state.peek(), isLoading: true };
    const startedMs = performance.now();
    try {
      const value = await this.#latest.current.load(aborted);
      if (aborted.aborted) return;
      this.state.value = { value, problem: undefined, isLoading: false };
    } catch (error) {
      if (aborted.aborted) return;
      const problem = problemOf(error);
      this.state.value = { value: this.state.peek().value, problem, isLoading: false };
    }
    this.#tookMs = performance.now() - startedMs;
    this.#schedule();
  }

  #schedule(): void {
    const { everyMs, isFinal } = this.#latest.current.options;
    const { value } = this.state.peek();
    if (everyMs === false || (value !== undefined && isFinal?.(value) === true)) return;
    const usual = readsHaveAPrice.peek() ? PRICED_EVERY_MS : LOCAL_EVERY_MS;
    const waitMs = Math.max(everyMs ?? usual, TIMES_OF_ANSWER * this.#tookMs);
    this.#timer = setTimeout(() => this.#whenWatched(), waitMs);
  }

  #whenWatched(): void {
    if (document.hidden || performance.now() - lastActiveMs > IDLE_AFTER_MS) this.#schedule();
    else void this.refresh();
  }
}
