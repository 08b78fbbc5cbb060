/** The ports of one mortal process: the calls of the engine go through the process, where a fault may strike most of them. */
import {
  TransportError,
  type Endpoints,
  type Exchange,
  type ExchangeRequest,
} from "../../../shared/engine/ports/endpoints.ts";
import { QUEUE_DELAY_MAX_MS, type Queue, type Wake } from "../../../shared/engine/ports/queue.ts";
import { StoreError, type Key, type Table } from "../../../shared/engine/ports/table.ts";
import type { Timers } from "../../../shared/engine/ports/timers.ts";
import { exchangeWhile } from "../crash-points/exchange-while.ts";
import { exchangeOver, type InProcessEndpoints, type WholeReply } from "../in-process-endpoints.ts";
import type { Mishap } from "./fate.ts";
import type { Leap } from "./leap.ts";
import type { Mortal } from "./mortal.ts";
import type { MemoryQueue } from "../memory-queue.ts";
import type { Random } from "../random.ts";
import type { WatchedTable } from "./watched-table.ts";

const LATE_MAX_MS = 60_000;
/** The longest time that a part of an answer on an open exchange is on its way. */
const CHUNK_MAX_MS = 8;
/** The largest number of parts that come before an answer breaks off. */
const CUT_CHUNKS_MAX = 6;
const DAY_MS = 86_400_000;
const FAR_FUTURE_MS = 400 * DAY_MS;

const failure = () => new StoreError("it failed, and its effect is unknown");

/** @param indexFaults the share of reads of an index in which a fault may strike */
export function tableOf(mortal: Mortal, table: WatchedTable, indexFaults = 0): Table {
  const read = <T>(what: string, effect: () => Promise<T>) => mortal.call({ what, kind: "read", effect, failure });
  const write = <T>(what: string, effect: () => Promise<T>, kind: "write" | "lock" = "write") =>
    mortal.call({
      what,
      kind,
      effect: (mishap) => table.writtenBy(mayLearn(mishap) ? mortal : undefined, effect),
      failure,
    });
  const at = ({ pk, sk }: Key) => `${pk} ${sk}`;
  return {
    get: (key) => read(`get ${at(key)}`, () => table.get(key)),
    getMany: (keys) => read(`getMany ${keys.map(at).join(", ")}`, () => table.getMany(keys)),
    query: (pk, range) => read(`query ${pk} ${range?.from ?? ""}`, () => table.query(pk, range)),
    // Few reads have faults: the sweeper reads many empty shards, where a fault would test nothing.
    queryIndex: (index, pk, range) =>
      indexFaults > 0 && mortal.strikesIn(indexFaults)
        ? mortal.call({
            what: `query ${index}`,
            kind: "index",
            effect: () => table.queryIndex(index, pk, range),
            failure,
          })
        : table.queryIndex(index, pk, range),
    partitions: (prefix, after) => table.partitions(prefix, after),
    put: (item, condition) => write(`put ${at(item)}`, () => table.put(item, condition)),
    update: (key, update, condition) =>
      write(`update ${at(key)}`, () => table.update(key, update, condition), key.sk === "lock" ? "lock" : "write"),
    delete: (key, condition) => write(`delete ${at(key)}`, () => table.delete(key, condition)),
    transact: (writes) => write(`transact ${writes.map(writtenKey).map(at).join(", ")}`, () => table.transact(writes)),
  };
}

/** True if the process gets the answer to this very write. */
function mayLearn(mishap: Mishap | undefined): boolean {
  return mishap === undefined || mishap === "slow" || mishap === "freezes";
}

function writtenKey(write: Parameters<Table["transact"]>[0][number]): Key {
  return write.kind === "put" ? write.item : write.key;
}

export function queueOf(mortal: Mortal, queue: MemoryQueue, random: Random, leap: Leap): Queue {
  const message = <T>(what: string, effect: () => Promise<T>) =>
    mortal.call({ what, kind: "message", effect, failure });
  return {
    send: (wake) =>
      mortal.call({
        what: `send ${wake.invocationId} in ${wake.delayMs} ms`,
        kind: "send",
        effect: (mishap) => sent(queue, random, wake, mishap),
        failure,
      }),
    recall: (handle) => queue.recall(handle),
    receive: (limit, visibilityMs, waitMs, signal) =>
      mortal.call({
        what: "receive",
        kind: "receive",
        effect: () =>
          untilAbortOf([signal, mortal.ended], (either) =>
            queue.receive(limit, visibilityMs, leap.waitMs(waitMs), either),
          ),
        failure,
      }),
    extend: (receipt, visibilityMs) => message(`extend ${receipt}`, () => queue.extend(receipt, visibilityMs)),
    ack: (receipt) => message(`ack ${receipt}`, () => queue.ack(receipt)),
  };
}

/**
 * Runs a call with a signal that aborts with the first of the given signals: an open receive ends with its process, because a
 * dead process takes no messages. The function does not use `AbortSignal.any`: Node keeps such a signal for ever if a listener
 * stays on it, and the signal keeps the whole world of a finished run.
 */
async function untilAbortOf<T>(
  signals: readonly (AbortSignal | undefined)[],
  run: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const abort = (): void => either.abort();
  for (const signal of signals) {
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
  }
  try {
    return await run(either.signal);
  } finally {
    for (const signal of signals) signal?.removeEventListener("abort", abort);
  }
}

async function sent(queue: MemoryQueue, random: Random, wake: Wake, mishap: Mishap | undefined): Promise<string> {
  const lateMs = () => Math.min(QUEUE_DELAY_MAX_MS, wake.delayMs + random.between(1, LATE_MAX_MS));
  if (mishap === "message-lost") return "lost";
  if (mishap === "message-day-late") return queue.sendLate(wake, wake.delayMs + DAY_MS);
  if (mishap === "message-of-future")
    for (let n = 0; n < 2; n++)
      await queue.send({ ...wake, wakeAtMs: wake.sentAtMs + FAR_FUTURE_MS, delayMs: lateMs() });
  if (mishap === "message-twice") await queue.send({ ...wake, delayMs: lateMs() });
  return await queue.send(mishap === "message-late" ? { ...wake, delayMs: lateMs() } : wake);
}

export function timersOf(mortal: Mortal, timers: Timers): Timers {
  const lost = async () => {};
  return {
    at: (timer) =>
      mortal.call({
        what: `timer ${timer.name}`,
        kind: "timer",
        effect: (mishap) => (mishap === "schedule-lost" ? lost() : timers.at(timer)),
        failure,
      }),
    cancel: (name) => timers.cancel(name),
  };
}

/** The deployment outlives the process: it works on a request to the end. */
export function endpointsOf(mortal: Mortal, endpoints: InProcessEndpoints, random: Random): Endpoints {
  return {
    open(request: ExchangeRequest): Exchange {
      if (!request.halfClose && endpoints.streams !== undefined) return openlyOf(mortal, endpoints, random, request);
      let cut = false;
      const reply = mortal.call({
        what: `attempt ${request.headers["x-restate-invocation-id"] ?? ""}`,
        kind: "attempt",
        async effect(mishap) {
          if (mishap === "answer-503") return NO_ROOM;
          cut = mishap === "answer-cut";
          return await endpoints.request(request);
        },
        failure: () => new TransportError("broken", "the exchange broke"),
      });
      return exchangeOfCut(reply, () => cut, random);
    },
  };
}

/** The connection of an open exchange breaks with its process, and a frozen process reads nothing. */
function openlyOf(mortal: Mortal, endpoints: InProcessEndpoints, random: Random, request: ExchangeRequest): Exchange {
  const clock = mortal.clock();
  let chunksLeft = Infinity;
  const opened = mortal.call({
    what: `open attempt ${request.headers["x-restate-invocation-id"] ?? ""}`,
    kind: "attempt",
    async effect(mishap) {
      if (mishap === "answer-503") return exchangeOver(Promise.resolve(NO_ROOM));
      if (mishap === "answer-cut") chunksLeft = random.between(0, CUT_CHUNKS_MAX);
      const exchange = endpoints.open(request);
      mortal.ended.addEventListener("abort", () => exchange.abort(), { once: true });
      if (mortal.isDead || mishap === "lost-reply") exchange.abort();
      return exchange;
    },
    failure: () => new TransportError("broken", "the exchange broke"),
  });
  const exchange = exchangeWhile(() => !mortal.isDead, opened);
  return {
    ...exchange,
    async next() {
      const chunk = await exchange.next();
      await clock.sleep(random.between(1, CHUNK_MAX_MS));
      if (chunksLeft-- > 0) return chunk;
      exchange.abort();
      throw new TransportError("broken", "the answer broke off");
    },
  };
}

const NO_ROOM: WholeReply = { head: { status: 503, headers: {}, httpVersion: "h2" }, body: new Uint8Array(0) };

/** @param isCut whether the response breaks off after a prefix */
function exchangeOfCut(reply: Promise<WholeReply>, isCut: () => boolean, random: Random): Exchange {
  const begun = reply.then(({ head, body }) => ({
    head,
    body: isCut() ? body.subarray(0, random.between(0, body.length)) : body,
  }));
  const exchange = exchangeOver(begun);
  return {
    ...exchange,
    async next() {
      const chunk = await exchange.next();
      if (chunk === undefined && isCut()) throw new TransportError("broken", "the answer broke off");
      return chunk;
    },
  };
}
