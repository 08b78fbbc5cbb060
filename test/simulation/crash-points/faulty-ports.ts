/**
 * The ports of one process: every call is counted, one of them may fail, and after the death of the process none has an effect.
 */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Endpoints, Exchange, ExchangeRequest } from "../../../shared/engine/ports/endpoints.ts";
import { TransportError } from "../../../shared/engine/ports/endpoints.ts";
import type { Queue, Wake } from "../../../shared/engine/ports/queue.ts";
import type { Key, Table } from "../../../shared/engine/ports/table.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import type { Timers } from "../../../shared/engine/ports/timers.ts";
import type { InProcessEndpoints } from "../in-process-endpoints.ts";
import { exchangeOver } from "../in-process-endpoints.ts";
import { aboutRequest, ending, under } from "./call-parts.ts";
import { exchangeWhile } from "./exchange-while.ts";
import { never } from "../never.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { callText, isWrite, type PortCall, type Strike } from "./point.ts";

/** The error of clients that wait for a process that dies. */
export class Death extends Error {
  override name = "Death";
}

/** A process that makes this number of calls is in an endless loop. */
const CALLS_MAX = 20_000;

/** Longer than a lease, so that other processes act meanwhile if they can. */
const LATE_MS = 12_000;

/** Longer than a lease, too. */
const THROTTLED_MS = 12_000;
/** A refusal comes back after this time. */
const REFUSAL_MS = 5;

const READS: ReadonlySet<string> = new Set(["get", "getMany", "query", "queryIndex", "partitions"]);

export interface Surroundings {
  readonly clock: VirtualClock;
  /** How far the clock of the process is ahead, in milliseconds. */
  readonly skewMs: number;
  /** Takes the messages that come a day late. */
  readonly keepBack: (wake: Wake) => void;
}

interface Called<T> {
  readonly call: PortCall;
  readonly effect: () => Promise<T>;
  /** Replaces the effect for a fault that the caller does not notice. */
  readonly instead?: () => Promise<T>;
  /** The error of the caller if the reply is lost; absent if the port promises that the call never fails. */
  readonly lost?: () => Error;
  /** True if the effect is complete only when the answer comes. A death after the call then waits for the answer. */
  readonly waits?: boolean;
  readonly isRead?: boolean;
}

export class FaultyPorts {
  readonly calls: string[] = [];
  readonly #around: Surroundings;
  readonly #clock: VirtualClock;
  readonly #strike: Strike | undefined;
  readonly #onDeath: () => void;
  readonly #open = new Set<AbortController>();
  readonly #exchanges = new Set<Exchange>();
  #dead = false;
  #throttledUntilMs = 0;
  /** The call at which the fault struck. */
  struck: string | undefined;
  /** The number of faults: the strike itself, and each call that was refused because of it. */
  faults = 0;
  /** True while the call at which the fault struck has not had its effect. */
  isLate = false;

  constructor(around: Surroundings, strike: Strike | undefined, onDeath: () => void) {
    this.#around = around;
    this.#clock = around.clock;
    this.#strike = strike;
    this.#onDeath = onDeath;
  }

  /** From now on no call has an effect and no wait ends. */
  die(): void {
    if (this.#dead) return;
    this.#dead = true;
    for (const exchange of this.#exchanges) exchange.abort();
    this.#clock.forget(this);
    for (const receive of this.#open) receive.abort();
    this.#onDeath();
  }

  async #called<T>({ call, effect, instead, lost, waits = false, isRead = false }: Called<T>): Promise<T> {
    if (this.#dead) return never();
    const text = callText(call);
    const at = this.calls.push(text) - 1;
    if (at >= CALLS_MAX) return never();
    if (this.#clock.nowMs() < this.#throttledUntilMs && kindOf(text) === kindOf(this.struck!)) return this.#refused();
    const strike = this.struck === undefined ? this.#strike : undefined;
    if (strike?.hits(at, text) !== true) return this.#alive(await effect());
    this.struck = text;
    this.faults++;
    switch (strike.fault) {
      case "before":
        this.die();
        return never();
      case "repeated":
        await effect();
        return this.#alive(await effect());
      case "throttled":
        this.#throttledUntilMs = this.#clock.nowMs() + THROTTLED_MS;
        return this.#refused();
      case "day-late":
      case "never-fires":
        return this.#alive(await instead!());
      case "after":
      case "after-clock-behind":
      case "after-clock-ahead": {
        const effected = effect();
        if (waits) await effected.catch(() => undefined);
        this.die();
        return never();
      }
      case "after-with-lost-reply": {
        const value = await effect();
        if (lost === undefined) return this.#alive(value);
        throw lost();
      }
      case "late-after-death": {
        const late = this.#late(effect);
        this.die();
        await late;
        return never();
      }
      case "slow": {
        if (!isRead) return this.#alive(await this.#late(effect));
        const value = await effect();
        return this.#alive(await this.#late(async () => value));
      }
    }
  }

  async #refused(): Promise<never> {
    this.faults++;
    await this.#clock.sleepOf(this, REFUSAL_MS);
    throw new StoreError("the store is throttled, and nothing was done");
  }

  async #late<T>(effect: () => Promise<T>): Promise<T> {
    this.isLate = true;
    await this.#clock.sleep(LATE_MS);
    this.isLate = false;
    return effect();
  }

  #alive<T>(value: T): T | Promise<T> {
    return this.#dead ? never() : value;
  }

  clock(): Clock {
    return {
      nowMs: () => this.#clock.nowMs() + this.#around.skewMs,
      sleep: async (ms, signal) => (this.#dead ? never() : this.#alive(await this.#clock.sleepOf(this, ms, signal))),
    };
  }

  table(port: "table" | "meta", table: Table): Table {
    const lost = () => new StoreError("the reply was lost");
    const called = <T>(method: string, about: string, effect: () => Promise<T>) =>
      this.#called({ call: { port, method, about }, effect, lost, isRead: READS.has(method) });
    const at = ({ pk, sk }: Key) => `${pk} ${sk}`;
    return {
      get: (key) => called("get", at(key), () => table.get(key)),
      getMany: (keys) => called("getMany", `${keys.length} keys`, () => table.getMany(keys)),
      query: (pk, range) => called("query", `${pk} ${range?.from ?? ""}`, () => table.query(pk, range)),
      queryIndex: (index, pk, range) =>
        called("queryIndex", `${index} ${pk}`, () => table.queryIndex(index, pk, range)),
      partitions: (prefix, after) => called("partitions", prefix, () => table.partitions(prefix, after)),
      put: (item, condition) =>
        called("put", at(item) + ending(item) + under(condition), () => table.put(item, condition)),
      update: (key, update, condition) =>
        called("update", at(key) + under(condition), () => table.update(key, update, condition)),
      delete: (key, condition) => called("delete", at(key) + under(condition), () => table.delete(key, condition)),
      transact: (writes) => called("transact", `${writes.length} writes`, () => table.transact(writes)),
    };
  }

  queue(queue: Queue): Queue {
    const lost = () => new StoreError("the reply was lost");
    return {
      send: (wake) =>
        this.#called({
          call: { port: "queue", method: "send", about: `${wake.invocationId} in ${wake.delayMs} ms` },
          effect: () => queue.send(wake),
          instead: async () => {
            this.#around.keepBack(wake);
            return "kept back";
          },
          lost,
        }),
      recall: (handle) =>
        this.#called({ call: { port: "queue", method: "recall", about: handle }, effect: () => queue.recall(handle) }),
      receive: (limit, visibilityMs, waitMs, signal) =>
        this.#called({
          call: { port: "queue", method: "receive", about: "" },
          effect: () => this.#received(queue, [limit, visibilityMs, waitMs], signal),
          lost,
          waits: true,
        }),
      extend: (receipt, visibilityMs) =>
        this.#called({
          call: { port: "queue", method: "extend", about: receipt },
          effect: () => queue.extend(receipt, visibilityMs),
          lost,
        }),
      ack: (receipt) =>
        this.#called({
          call: { port: "queue", method: "ack", about: receipt },
          effect: () => queue.ack(receipt),
          lost,
        }),
    };
  }

  /** Ends the open receive with its process, because a dead process takes no messages. */
  async #received(queue: Queue, [limit, visibilityMs, waitMs]: [number, number, number], signal?: AbortSignal) {
    const open = new AbortController();
    const leave = (): void => open.abort();
    this.#open.add(open);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await queue.receive(limit, visibilityMs, waitMs, open.signal);
    } finally {
      signal?.removeEventListener("abort", leave);
      this.#open.delete(open);
    }
  }

  timers(timers: Timers): Timers {
    const lost = () => new StoreError("the reply was lost");
    return {
      at: (timer) =>
        this.#called({
          call: { port: "timers", method: "at", about: timer.name },
          effect: () => timers.at(timer),
          instead: async () => {},
          lost,
        }),
      cancel: (name) =>
        this.#called({
          call: { port: "timers", method: "cancel", about: name },
          effect: () => timers.cancel(name),
          lost,
        }),
    };
  }

  /** The deployment outlives the process: it works on a request to the end. */
  endpoints(endpoints: InProcessEndpoints): Endpoints {
    return {
      open: (request: ExchangeRequest) => {
        const call = { port: "endpoints", method: request.method, about: aboutRequest(request) } as const;
        if (!request.halfClose && endpoints.streams !== undefined)
          return this.#openly(call, () => endpoints.open(request));
        return exchangeOver(
          this.#called({
            call,
            effect: () => endpoints.request(request),
            lost: () => new TransportError("broken", "the reply was lost"),
            waits: true,
          }),
        );
      },
    };
  }

  /** The connection of an open exchange breaks with its process, so that the handler on it ends at its next await. */
  #openly(call: PortCall, open: () => Exchange): Exchange {
    const opened = this.#called({
      call,
      effect: async () => {
        const exchange = open();
        this.#exchanges.add(exchange);
        if (this.#dead) exchange.abort();
        return exchange;
      },
      lost: () => new TransportError("broken", "the reply was lost"),
    });
    return exchangeWhile(() => !this.#dead, opened);
  }
}

/** The kind of a call: calls of one kind are throttled together. */
function kindOf(call: string): "write" | "schedule" | "other" {
  if (isWrite(call)) return "write";
  return call.startsWith("timers.at ") ? "schedule" : "other";
}
