/** Gathers the calls of one turn of the event loop into batches of ten, and retries entries that a batch did not serve. */
import type { Clock } from "../../engine/ports/clock.ts";
import type { StoreError } from "../../engine/ports/table.ts";
import { storeFailure } from "./store-failure.ts";

const BATCH_MAX_ENTRIES = 10;
const TRIES = 5;
const FIRST_WAIT_MS = 50;

export interface NumberedEntry<Entry> {
  /** Identifies the entry within its batch. */
  readonly Id: string;
  readonly entry: Entry;
}

export interface FailedEntry {
  readonly Id: string | undefined;
  readonly SenderFault: boolean | undefined;
  readonly Code: string | undefined;
  readonly Message?: string | undefined;
}

/** The results by entry Id; an entry without a result counts as failed. */
export interface BatchAnswer<Done> {
  readonly done: ReadonlyMap<string, Done>;
  readonly failed: readonly FailedEntry[];
}

export type Served<Done> = { readonly done: Done } | { readonly refused: FailedEntry };

interface Call<Entry, Done> {
  readonly entry: Entry;
  readonly resolve: (served: Served<Done>) => void;
  readonly reject: (error: StoreError) => void;
}

export class BatchCalls<Entry, Done> {
  readonly #what: string;
  readonly #clock: Clock;
  readonly #request: (entries: readonly NumberedEntry<Entry>[]) => Promise<BatchAnswer<Done>>;
  #gathered: Call<Entry, Done>[] = [];

  /**
   * @param what the operation, for error messages
   * @param request sends at most ten entries to the service in one request
   */
  constructor(
    what: string,
    clock: Clock,
    request: (entries: readonly NumberedEntry<Entry>[]) => Promise<BatchAnswer<Done>>,
  ) {
    this.#what = what;
    this.#clock = clock;
    this.#request = request;
  }

  /**
   * Resolves with `refused` if the service blames the entry, because a retry would not help.
   * @throws StoreError if the service did not serve the entry after several tries
   */
  call(entry: Entry): Promise<Served<Done>> {
    return new Promise((resolve, reject) => {
      this.#gathered.push({ entry, resolve, reject });
      if (this.#gathered.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const calls = this.#gathered;
    this.#gathered = [];
    for (let from = 0; from < calls.length; from += BATCH_MAX_ENTRIES) {
      const batch = calls.slice(from, from + BATCH_MAX_ENTRIES);
      this.#serve(batch).catch((cause: unknown) => {
        const error = storeFailure(this.#what, cause);
        // The calls of served entries have settled already; a rejection does not change them.
        for (const { reject } of batch) reject(error);
      });
    }
  }

  async #serve(batch: readonly Call<Entry, Done>[]): Promise<void> {
    let open = new Map(batch.map((call, index) => [String(index), call]));
    for (let tries = 1; ; tries++) {
      const { done, failed } = await this.#request([...open].map(([Id, { entry }]) => ({ Id, entry })));
      for (const [id, value] of done) open.get(id)?.resolve({ done: value });
      for (const one of failed) if (one.SenderFault === true) open.get(one.Id ?? "")?.resolve({ refused: one });
      const blamed = new Set(failed.filter((one) => one.SenderFault === true).map(({ Id }) => Id));
      open = new Map([...open].filter(([id]) => !done.has(id) && !blamed.has(id)));
      if (open.size === 0) return;
      if (tries === TRIES) throw new Error(`${open.size} entries of a batch failed, the last with ${wordsOf(failed)}`);
      // Jitter spreads batches that failed together.
      await this.#clock.sleep(FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
    }
  }
}

function wordsOf(failed: readonly FailedEntry[]): string {
  const last = failed.findLast((one) => one.SenderFault !== true);
  return last === undefined ? "no answer" : `${last.Code ?? "no code"}: ${last.Message ?? "no message"}`;
}
