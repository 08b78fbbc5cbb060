/** The ports of a process that may die: each call goes through its `FaultyPorts`. */
import {
  TransportError,
  type Endpoints,
  type Exchange,
  type ExchangeRequest,
} from "../../../shared/engine/ports/endpoints.ts";
import type { Queue } from "../../../shared/engine/ports/queue.ts";
import { StoreError, type Key, type Table } from "../../../shared/engine/ports/table.ts";
import type { Timers } from "../../../shared/engine/ports/timers.ts";
import { exchangeOver, type InProcessEndpoints } from "../in-process-endpoints.ts";
import { aboutRequest, ending, under } from "./call-parts.ts";
import { exchangeWhile } from "./exchange-while.ts";
import type { FaultyPorts } from "./faulty-ports.ts";
import type { PortCall } from "./point.ts";

const READS: ReadonlySet<string> = new Set(["get", "getMany", "query", "queryIndex", "partitions"]);

const lost = () => new StoreError("the reply was lost");

export function tableOf(ports: FaultyPorts, port: "table" | "meta", table: Table): Table {
  const called = <T>(method: string, about: string, effect: () => Promise<T>, instead?: () => Promise<T>) => {
    const call = { port, method, about };
    return ports.called({ call, effect, ...(instead && { instead }), lost, isRead: READS.has(method) });
  };
  const at = ({ pk, sk }: Key) => `${pk} ${sk}`;
  return {
    get: (key) => called("get", at(key), () => table.get(key)),
    getMany: (keys) =>
      called(
        "getMany",
        `${keys.length} keys`,
        () => table.getMany(keys),
        () => ports.around.laggingMany(keys),
      ),
    query: (pk, range) => called("query", `${pk} ${range?.from ?? ""}`, () => table.query(pk, range)),
    queryIndex: (index, pk, range) =>
      called(
        "queryIndex",
        `${index} ${pk}`,
        () => table.queryIndex(index, pk, range),
        () => ports.around.laggingIndex(index, pk, range),
      ),
    partitions: (prefix, after) => called("partitions", prefix, () => table.partitions(prefix, after)),
    put: (item, condition) =>
      called("put", at(item) + ending(item) + under(condition), () => table.put(item, condition)),
    update: (key, update, condition) =>
      called("update", at(key) + under(condition), () => table.update(key, update, condition)),
    delete: (key, condition) => called("delete", at(key) + under(condition), () => table.delete(key, condition)),
    transact: (writes) => called("transact", `${writes.length} writes`, () => table.transact(writes)),
  };
}

/** @param port the queue of wakes, that of dead letters, that of slices, or that of schedules, whose messages name these in place of invocations */
export function queueOf(
  ports: FaultyPorts,
  queue: Queue,
  port: "queue" | "letters" | "slices" | "schedule-wakes" = "queue",
): Queue {
  return {
    send: (wake) =>
      ports.called({
        call: { port, method: "send", about: `${wake.invocationId} in ${wake.delayMs} ms` },
        effect: () => queue.send(wake),
        instead: async () => {
          ports.around.keepBack(wake);
          return "kept back";
        },
        lost,
      }),
    recall: (handle) =>
      ports.called({ call: { port, method: "recall", about: handle }, effect: () => queue.recall(handle) }),
    receive: (limit, visibilityMs, waitMs, signal) =>
      ports.called({
        call: { port, method: "receive", about: "" },
        effect: () => received(ports, queue, [limit, visibilityMs, waitMs], signal),
        lost,
        waits: true,
      }),
    extend: (receipt, visibilityMs) =>
      ports.called({
        call: { port, method: "extend", about: receipt },
        effect: () => queue.extend(receipt, visibilityMs),
        lost,
      }),
    ack: (receipt) =>
      ports.called({ call: { port, method: "ack", about: receipt }, effect: () => queue.ack(receipt), lost }),
  };
}

/** Ends the open receive with its process, because a dead process takes no messages. */
async function received(
  { endings }: FaultyPorts,
  queue: Queue,
  [limit, visibilityMs, waitMs]: [number, number, number],
  signal?: AbortSignal,
) {
  const open = new AbortController();
  const leave = (): void => open.abort();
  endings.add(leave);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await queue.receive(limit, visibilityMs, waitMs, open.signal);
  } finally {
    signal?.removeEventListener("abort", leave);
    endings.delete(leave);
  }
}

export function timersOf(ports: FaultyPorts, timers: Timers): Timers {
  return {
    at: (timer) =>
      ports.called({
        call: { port: "timers", method: "at", about: timer.name },
        effect: () => timers.at(timer),
        instead: async () => {},
        lost,
      }),
    cancel: (name) =>
      ports.called({
        call: { port: "timers", method: "cancel", about: name },
        effect: () => timers.cancel(name),
        lost,
      }),
  };
}

const broken = () => new TransportError("broken", "the reply was lost");

/** The deployment outlives the process: it works on a request to the end. */
export function endpointsOf(ports: FaultyPorts, endpoints: InProcessEndpoints): Endpoints {
  return {
    open: (request: ExchangeRequest) => {
      const call = { port: "endpoints", method: request.method, about: aboutRequest(request) } as const;
      if (!request.halfClose && endpoints.streams !== undefined)
        return openly(ports, call, () => endpoints.open(request));
      return exchangeOver(ports.called({ call, effect: () => endpoints.request(request), lost: broken, waits: true }));
    },
  };
}

/** The connection of an open exchange breaks with its process, so that the handler on it ends at its next await. */
function openly(ports: FaultyPorts, call: PortCall, open: () => Exchange): Exchange {
  const opened = ports.called({
    call,
    effect: async () => {
      const exchange = open();
      ports.endings.add(() => exchange.abort());
      if (ports.isDead) exchange.abort();
      return exchange;
    },
    lost: broken,
  });
  return exchangeWhile(() => !ports.isDead, opened);
}
