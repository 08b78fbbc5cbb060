/** Handlers that do what a test orders, step by step, and hold in between. */
import "../../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";
import type { Context } from "@restatedev/restate-sdk";
import { HOUR_MS, type Kind } from "../program.ts";
import type { NewJob } from "./acts.ts";

// The exact optional property of the SDK's own type refuses its own serde.
const json = restate.serde.json as unknown as restate.Serde<unknown>;

export type Order = { readonly do: "end" | "wait" | "fail" } | { readonly do: "call"; readonly child: NewJob };

/** The orders of all invocations of one side, and what their handlers have come to. */
export class Orders {
  readonly #given = new Map<string, Order[]>();
  readonly #waiters = new Map<string, (() => void)[]>();
  readonly #once = new Set<string>();
  readonly #awakeables = new Map<string, string>();
  #endsAll = false;
  /** The names of the invocations in the order of their attempts. */
  readonly begun: string[] = [];

  give(name: string, order: Order): void {
    this.#given.set(name, [...(this.#given.get(name) ?? []), order]);
    this.#tell();
  }

  /** From now on each handler that holds returns. */
  endAll(): void {
    this.#endsAll = true;
    this.#tell();
  }

  /** Waits for the order with this number. The orders of the attempts before are the same in each attempt. */
  async orderOf(name: string, at: number): Promise<Order> {
    for (;;) {
      const order = this.#given.get(name)?.[at];
      if (order !== undefined) return order;
      if (this.#endsAll) return { do: "end" };
      await this.#untilTold(name);
    }
  }

  isFirst(what: string): boolean {
    const isFirst = !this.#once.has(what);
    this.#once.add(what);
    return isFirst;
  }

  noteAwakeable(name: string, number: number, id: string): void {
    this.#awakeables.set(`${name} ${number}`, id);
    this.#tell();
  }

  /** @param number from 1 on */
  async awakeableOf(name: string, number: number): Promise<string> {
    for (;;) {
      const id = this.#awakeables.get(`${name} ${number}`);
      if (id !== undefined) return id;
      await this.#untilTold(name);
    }
  }

  #untilTold(name: string): Promise<void> {
    return new Promise((resolve) => this.#waiters.set(name, [...(this.#waiters.get(name) ?? []), resolve]));
  }

  #tell(): void {
    const waiting = [...this.#waiters.values()].flat();
    this.#waiters.clear();
    for (const go of waiting) go();
  }
}

export const WORK: Readonly<Record<Kind, string>> = {
  open: "OpenWork",
  "half-closed": "HalfWork",
  "request-response": "PlainWork",
};
export const LOADER = "Loader";

const RETRY = { initialInterval: HOUR_MS, exponentiationFactor: 1, maxInterval: HOUR_MS };

const FRAIL = { retryPolicy: { ...RETRY, maxAttempts: 1, onMaxAttempts: "pause" as const } };

export function limitedServices(kind: Kind, orders: Orders) {
  const work = async (ctx: Context, name: string): Promise<string> => {
    orders.begun.push(name);
    let awakeables = 0;
    for (let at = 0; ; at++) {
      const order = await orders.orderOf(name, at);
      switch (order.do) {
        case "end":
          return name;
        case "fail":
          if (orders.isFirst(`${name} ${at}`)) throw new Error("This attempt fails by order");
          break;
        case "wait": {
          const { id, promise } = ctx.awakeable();
          orders.noteAwakeable(name, ++awakeables, id);
          await promise;
          break;
        }
        case "call":
          await ctx.genericCall({ ...requestOf(order.child), outputSerde: json });
      }
    }
  };
  /** Sends all, one after the other. @returns their ids */
  const load = async (ctx: Context, jobs: readonly NewJob[]): Promise<string[]> => {
    const sent = jobs.map((job) => ctx.genericSend(requestOf(job)));
    return await Promise.all(sent.map(({ invocationId }) => invocationId));
  };
  const timeouts = { open: HOUR_MS, "half-closed": 1, "request-response": HOUR_MS };
  const options = { retryPolicy: RETRY, inactivityTimeout: timeouts[kind] };
  return [
    restate.service({ name: WORK[kind], handlers: { work, frail: restate.handlers.handler(FRAIL, work) }, options }),
    ...(kind === "open" ? [restate.service({ name: LOADER, handlers: { load } })] : []),
  ];
}

function requestOf({ name, kind, scope, limitKey, handler }: NewJob) {
  return {
    service: WORK[kind],
    method: handler,
    scope,
    ...(limitKey !== undefined && { limitKey }),
    parameter: name,
    inputSerde: json as restate.Serde<string>,
  };
}
