/** One invocation, read again while it is open; of a long journal only the new entries are read. */
import { useMemo, useRef, useEffect, useState } from "preact/hooks";
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { ApiProblem, ask, readsHaveAPrice } from "./api.ts";
import { usePolled, type Polled } from "./polled.ts";
import type { ListPrices } from "../model/timeline/cost.ts";
import type { ServiceBody } from "../../shared/api/contract/services.ts";

/** Shorter journals are read whole, so that nothing of them can be out of date. */
const WHOLE_MAX_ENTRIES = 1_000;
/** The server sends fewer entries if the entries are large. */
const ENTRIES_AT_ONCE = 10_000;
const LOCAL_EVERY_MS = 1_000;
const PRICED_FIRST_MS = 5_000;
const PRICED_MAX_MS = 30_000;
const GROWTH = 1.5;

export function useInvocation(id: string): Polled<InvocationBody> {
  const reader = useMemo(() => new InvocationReader(id), [id]);
  const everyMs = useRef(PRICED_FIRST_MS);
  const isGone = useRef(false);
  const load = async (aborted: AbortSignal): Promise<InvocationBody> => {
    const isSame = await reader.read(aborted).catch((error: unknown) => {
      // The page does not ask again by itself for an id that the server does not know.
      isGone.current = error instanceof ApiProblem && (error.status === 404 || error.status === 400);
      throw error;
    });
    isGone.current = false;
    everyMs.current = isSame ? Math.min(PRICED_MAX_MS, everyMs.current * GROWTH) : PRICED_FIRST_MS;
    return reader.body!;
  };
  return usePolled(id, load, {
    get everyMs(): number | false {
      if (isGone.current) return false;
      return readsHaveAPrice.peek() ? everyMs.current : LOCAL_EVERY_MS;
    },
    isFinal: ({ status }) => status === "completed",
  });
}

class InvocationReader {
  body: InvocationBody | undefined;
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  /** @returns whether nothing has changed since the last read @throws ApiProblem */
  async read(aborted: AbortSignal): Promise<boolean> {
    const before = this.body;
    const known = before !== undefined && before.entry_count > WHOLE_MAX_ENTRIES ? before.entries : [];
    let body = await this.#part(known.length, aborted);
    // The journal was deleted since, or this is another life of the same id.
    const isOther = before !== undefined && (body.created_at !== before.created_at || body.entry_count < known.length);
    let entries = isOther ? [] : known;
    if (isOther) body = await this.#part(0, aborted);
    for (;;) {
      if (body.entries.length > 0) entries = entries.length === 0 ? body.entries : [...entries, ...body.entries];
      if (entries.length >= body.entry_count || body.entries.length === 0) break;
      body = await this.#part(entries.length, aborted);
    }
    const isSame = before !== undefined && !isOther && sameJournal(before, body);
    // With the same array, the page keeps the rows that it has made of the entries.
    this.body = { ...body, ...sameParts(before, body), entries: isSame ? before.entries : entries };
    return isSame;
  }

  #part(from: number, signal: AbortSignal): Promise<InvocationBody> {
    const query = `${from === 0 ? "" : `from=${from}&`}limit=${ENTRIES_AT_ONCE}`;
    return ask<InvocationBody>(`invocations/${encodeURIComponent(this.#id)}?${query}`, { signal });
  }
}

function sameJournal(a: InvocationBody, b: InvocationBody): boolean {
  return (
    a.entry_count === b.entry_count &&
    a.status === b.status &&
    a.attempts === b.attempts &&
    a.modified_at === b.modified_at &&
    a.last_failure?.at === b.last_failure?.at
  );
}

/**
 * Members that are equal to those of the last read stay the same objects, so that the page keeps what it has made of
 * them.
 */
function sameParts(before: InvocationBody | undefined, now: InvocationBody): Partial<InvocationBody> {
  const same: Partial<Record<keyof InvocationBody, unknown>> = {};
  for (const name of ["waits_for", "attempt_spans", "events", "last_failure"] as const) {
    if (before !== undefined && JSON.stringify(before[name]) === JSON.stringify(now[name])) same[name] = before[name];
  }
  return same as Partial<InvocationBody>;
}

declare const LIST_PRICES: ListPrices;

/** List prices of AWS, which the build takes from docs/prices.json. */
export const listPrices: ListPrices = LIST_PRICES;

/** Undefined until the description is here, and if the service is gone. */
export function useService(name: string): ServiceBody | undefined {
  const [service, setService] = useState<ServiceBody>();
  useEffect(() => {
    const over = new AbortController();
    setService(undefined);
    ask<ServiceBody>(`services/${encodeURIComponent(name)}`, { signal: over.signal }).then(setService, () => {
      // A page of an invocation is useful without the description of its service.
    });
    return () => over.abort();
  }, [name]);
  return service;
}
