/** One local process over parts that outlive it: the engine and both APIs as the product wires them. */
import { adminApp } from "../../../shared/api/admin/admin-app.ts";
import { ingressApp } from "../../../shared/api/ingress/ingress-app.ts";
import type { HttpRequest, HttpResponse } from "../../../shared/api/http/message.ts";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { readSettings } from "../../../shared/config/settings.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { ActiveInvocations } from "../../../shared/engine/local/active-invocations.ts";
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { IdSource } from "../../../shared/engine/ports/id-source.ts";
import { SecretIdSource } from "../../../shared/adapters/system/id-source.ts";
import type { Queue } from "../../../shared/engine/ports/queue.ts";
import { createStoredRegistry } from "../../../shared/engine/register/stored-registry.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { beginLife, endLife } from "../../../shared/engine/sweep/begin-life.ts";
import { recover, runSweeper } from "../../../shared/engine/sweep/sweep.ts";
import { engineSettingsOf, soleOwner } from "../../../shared/wiring/engine-settings-of.ts";
import { expireItems } from "../../../shared/wiring/expire-items.ts";
import { invocationUseCases } from "../../../shared/wiring/use-cases.ts";
import { silentLog, silentMeter } from "../../recording-log.ts";
import type { InProcessEndpoints } from "../../simulation/in-process-endpoints.ts";
import type { MemoryTable } from "../../simulation/memory-table.ts";
import type { MemoryQueue } from "../../simulation/memory-queue.ts";
import type { MemoryTimers } from "../../simulation/memory-timers.ts";
import { never } from "../../simulation/never.ts";
import { Random } from "../../simulation/random.ts";
import type { ExpiringTable } from "./expiring-table.ts";
import type { HistoryClock } from "./history-clock.ts";

export interface Parts {
  readonly clock: HistoryClock;
  readonly table: ExpiringTable;
  readonly meta: MemoryTable;
  readonly queue: MemoryQueue;
  readonly timers: MemoryTimers;
  readonly endpoints: InProcessEndpoints;
}

/** Plants a mistake into the engine of every process. */
export type Sabotage = (engine: Engine) => Engine;

export interface LocalProcess {
  readonly ingress: (request: HttpRequest) => Promise<HttpResponse>;
  readonly admin: (request: HttpRequest) => Promise<HttpResponse>;
  /** Ends as a crash does: it does nothing any more. */
  crash(): void;
  stop(): Promise<void>;
}

/** An idle worker looks at its queue this seldom; a message wakes it at once. */
const IDLE_MS = 86_400_000;
const { settings } = readSettings({
  environment: {},
  flags: {
    "worker.check-interval": "12h",
    "worker.cleanup-interval": "12h",
    // An attempt that fails without a delay of its own pauses its invocation. Retries would come at random moments.
    "default-retry-policy.max-attempts": "1",
    // A circuit would delay the attempts of all invocations of a service because one stumbles.
    "worker.invoker.circuit-breaker": "false",
  },
});
const SWEEP_EVERY_MS = 43_200_000;

/** @param number the number of the process */
export async function openProcess(
  parts: Parts,
  number: number,
  sabotage: Sabotage = (engine) => engine,
): Promise<LocalProcess> {
  const name = `process-${number}`;
  const life = new Life(parts.clock);
  const clock = life.clock();
  const engineSettings = engineSettingsOf(settings, { ownership: soleOwner(name), indexShards: 1 });
  const meta = life.own(parts.meta);
  const engine = sabotage({
    table: life.own(parts.table),
    meta,
    queue: patient(life.own(parts.queue)),
    timers: life.own(parts.timers),
    endpoints: parts.endpoints,
    registry: createStoredRegistry({ meta, clock, settings: engineSettings }),
    clock,
    ids: idsOf(number),
    log: silentLog,
    meter: silentMeter,
    activeInvocations: new ActiveInvocations(clock, name),
    bulkheads: newBulkheads(clock),
    settings: engineSettings,
  });
  await beginLife(engine);
  const { activeInvocations } = engine;
  const table = life.own(parts.table) as unknown as EmbeddedTable;
  const everyMs = settings["worker.cleanup-interval"];
  const expire = (signal: AbortSignal) =>
    expireItems({ table, clock, log: silentLog, activeInvocations, everyMs }, signal);
  const stopping = new AbortController();
  const { signal } = stopping;
  const worker = runWorker(engine, signal, { concurrencyMax: 1_000 });
  // The sweeper comes every twelve hours instead of every minute, so that weeks pass quickly.
  const loops = [expire(signal), worker, runSweeper(engine, signal, SWEEP_EVERY_MS), recover(engine)];
  for (const loop of loops) loop.catch(() => undefined);
  const ingress = ingressApp(engine);
  const admin = adminApp(engine, {
    version: "0.0.0",
    runsOn: "one-process",
    ingress,
    metricsText: async () => "",
    invocations: invocationUseCases,
  });
  return {
    ingress,
    admin,
    crash() {
      life.end();
      stopping.abort();
    },
    async stop() {
      stopping.abort();
      activeInvocations.stop();
      await Promise.race([Promise.allSettled(loops), clock.sleep(500)]);
      await endLife(engine);
      life.end();
    },
  };
}

const DERIVED = new SecretIdSource(new Uint8Array(32).fill(7));

/** @param process the number of the process, whose random bytes no other process draws */
function idsOf(process: number): IdSource {
  const random = new Random(process);
  return {
    random: (size) => Uint8Array.from({ length: size }, () => random.between(0, 255)),
    derive: (parts, size) => DERIVED.derive(parts, size),
  };
}

/** A worker that waits for long does not look again and again, so that weeks pass quickly. */
function patient(queue: Queue): Queue {
  return {
    send: (wake) => queue.send(wake),
    recall: (handle) => queue.recall(handle),
    receive: (limit, visibilityMs, _, signal) => queue.receive(limit, visibilityMs, IDLE_MS, signal),
    extend: (receipt, visibilityMs) => queue.extend(receipt, visibilityMs),
    ack: (receipt) => queue.ack(receipt),
  };
}

/** The time between the start of a process and its end, after which none of its calls has an effect or an answer. */
class Life {
  readonly #clock: HistoryClock;
  #isOver = false;

  constructor(clock: HistoryClock) {
    this.#clock = clock;
  }

  end(): void {
    this.#isOver = true;
    this.#clock.forget(this);
  }

  clock(): Clock {
    return {
      nowMs: () => this.#clock.nowMs(),
      sleep: (ms, signal) => (this.#isOver ? never() : this.#clock.sleepOf(this, ms, signal)),
    };
  }

  /** @returns the part as this process sees it */
  own<Part extends object>(part: Part): Part {
    const made = new Map<PropertyKey, unknown>();
    return new Proxy(part, {
      get: (target, name) => {
        const known = made.get(name);
        if (known !== undefined) return known;
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== "function") return found;
        const own = async (...args: unknown[]): Promise<unknown> => {
          if (this.#isOver) return never();
          const answer: unknown = await Reflect.apply(found, target, args);
          return this.#isOver ? never() : answer;
        };
        made.set(name, own);
        return own;
      },
    });
  }
}
