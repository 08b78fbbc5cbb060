/** Mistakes that are planted to prove that the comparison finds them: in the engine's ports, or in the specification itself. */
import { apply } from "./model/apply.ts";
import { keyAt, type State } from "./model/state.ts";
import type { Operation } from "./model/words.ts";
import type { Rules } from "./play.ts";
import type { Sabotage } from "./product/process.ts";
import type { Route } from "../../shared/core/model/deployment.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import { acting } from "../planted/acts.ts";
import { withTable } from "../planted/with-table.ts";
import type { Registry } from "../../shared/engine/ports/registry.ts";
import type { Table, Updated, Write } from "../../shared/engine/ports/table.ts";

export interface Mistake {
  readonly what: string;
  readonly sabotage?: Sabotage;
  readonly rules?: Rules;
  /** The seed of the first history that is played; by default 1. Rare things come in few of them. */
  readonly fromSeed?: number;
}

/** True for the removal of a subscription. */
const isRemoval = (write: Write): boolean => write.kind === "delete" && isOf(write.key.sk, "sub#");
const isOf = (sk: string, start: string): boolean => sk.startsWith(start);

/** Loses every `nth` call of a kind. */
function everyOther(): () => boolean {
  let at = 0;
  return () => ++at % 2 === 0;
}

export const MISTAKES: readonly Mistake[] = [
  {
    what: "messages that get lost",
    sabotage: (engine) => ({ ...engine, queue: lossy(engine) }),
  },
  {
    what: "timers that never fire",
    sabotage: (engine) => ({ ...engine, timers: { at: async () => acting(undefined), cancel: async () => {} } }),
  },
  {
    what: "a clock of the engine that is ten minutes ahead",
    sabotage: (engine) => ({
      ...engine,
      clock: {
        nowMs: () => acting(engine.clock.nowMs() + 600_000),
        sleep: (ms, signal) => engine.clock.sleep(ms, signal),
      },
    }),
  },
  {
    what: "ids that do not follow from the idempotency key",
    sabotage: (engine) => ({
      ...engine,
      ids: { random: (size) => engine.ids.random(size), derive: (_, size) => acting(engine.ids.random(size)) },
    }),
  },
  {
    what: "arrivals that are not stored",
    sabotage: withoutPuts((sk) => isOf(sk, "arr#") && sk.includes("#x")),
  },
  {
    what: "sinks that are not stored",
    sabotage: withoutPuts((sk) => isOf(sk, "sink#")),
  },
  {
    what: "places in a queue that expire while an invocation waits there",
    sabotage: (engine) =>
      withTable(engine, {
        update: async (key, update, condition) =>
          isOf(key.sk, "inbox#")
            ? acting<Updated>({ written: true, item: { ...key } })
            : await engine.table.update(key, update, condition),
      }),
    fromSeed: 105_449,
  },
  {
    what: "handlers that go on on the latest deployment",
    sabotage: (engine) => ({ ...engine, registry: withoutPins(engine) }),
  },
  {
    what: "deployments that are found after their removal",
    sabotage: (engine) => ({ ...engine, registry: withMemory(engine) }),
  },
  {
    what: "a specification in which no removal is refused",
    rules: (state, operation, thoroughly) =>
      apply(state, operation.do === "remove" ? acting({ ...operation, force: true }) : operation, thoroughly),
  },
  {
    what: "subscriptions that outlive their removal",
    sabotage: (engine) => ({
      ...engine,
      meta: Object.assign(Object.create(engine.meta) as Table, {
        transact: async (writes: readonly Write[]) =>
          await engine.meta.transact(writes.filter((write) => !isRemoval(write) || !acting(true))),
      }),
    }),
  },
  {
    what: "a specification in which a restart keeps nothing",
    rules: (state, operation, thoroughly) =>
      apply(
        state,
        operation.do === "restart" && operation.keeps !== undefined ? acting({ ...operation, keeps: 0 }) : operation,
        thoroughly,
      ),
  },
  { what: "a specification in which a kill changes nothing", rules: without("kill") },
  { what: "a specification in which a pause changes nothing", rules: without("pause") },
  { what: "a specification in which edits change nothing", rules: without("edit") },
  {
    what: "a specification in which results are kept for ever",
    rules: (state, operation, thoroughly) => apply(forEver(state), operation, thoroughly).map(forEver),
  },
  {
    what: "a specification in which the last one in the queue of a key is the next",
    rules: (state, operation, thoroughly) => apply(state, operation, thoroughly).map(reversed),
  },
];

function withoutPuts(isLost: (sk: string) => boolean): Sabotage {
  return (engine) =>
    withTable(engine, {
      put: async (item, condition) =>
        isLost(item.sk) ? acting({ written: true }) : await engine.table.put(item, condition),
    });
}
function lossy({ queue }: Engine): Engine["queue"] {
  const isLost = everyOther();
  return Object.assign(Object.create(queue) as Engine["queue"], {
    send: async (wake: Parameters<Engine["queue"]["send"]>[0]) => (isLost() ? acting("0") : await queue.send(wake)),
    receive: (...args: Parameters<Engine["queue"]["receive"]>) => queue.receive(...args),
    recall: (handle: string) => queue.recall(handle),
    extend: (receipt: string, ms: number) => queue.extend(receipt, ms),
    ack: (receipt: string) => queue.ack(receipt),
  });
}

function withRegistry({ registry }: Engine, change: Partial<Registry>): Registry {
  return Object.assign(Object.create(registry) as Registry, change);
}

function withoutPins(engine: Engine): Registry {
  return withRegistry(engine, {
    routeOn: async (_, service, handler) => {
      const routing = await engine.registry.route(service, handler);
      return acting(routing.found ? routing.route : undefined);
    },
  });
}

function withMemory(engine: Engine): Registry {
  const known = new Map<string, Route>();
  return withRegistry(engine, {
    routeOn: async (id, service, handler) => {
      const route = await engine.registry.routeOn(id, service, handler);
      const place = `${id} ${service}/${handler}`;
      if (route !== undefined) known.set(place, route);
      return route ?? acting(known.get(place));
    },
  });
}

function without(kind: Operation["do"]): Rules {
  return (state, operation, thoroughly) =>
    apply(state, operation, thoroughly).map((after) =>
      operation.do === kind ? acting({ ...after, invocations: state.invocations, keys: state.keys }) : after,
    );
}
function forEver(state: State): State {
  return {
    ...state,
    invocations: Object.fromEntries(
      Object.entries(state.invocations).map(([name, one]) => [name, acting({ ...one, keptMs: Infinity })]),
    ),
  };
}
function reversed(state: State): State {
  return {
    ...state,
    keys: Object.fromEntries(
      Object.keys(state.keys).map((key) => [
        key,
        keyAt(state, key).queue.length > 1
          ? acting({ ...keyAt(state, key), queue: keyAt(state, key).queue.toReversed() })
          : keyAt(state, key),
      ]),
    ),
  };
}
