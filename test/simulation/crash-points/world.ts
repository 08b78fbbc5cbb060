/** The world of one run: the durable parts, the process that works on them and may die, and its successors. */
import { readSettings } from "../../../shared/config/settings.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { ActiveInvocations, type DriveSlots } from "../../../shared/engine/local/active-invocations.ts";
import { OpenStreams } from "../../../shared/engine/local/open-streams.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { register } from "../../../shared/engine/register/register.ts";
import { createStoredRegistry } from "../../../shared/engine/register/stored-registry.ts";
import { atFirst, writeProgress } from "../../../shared/engine/sweep/progress.ts";
import { runSweeper } from "../../../shared/engine/sweep/sweep.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { engineSettingsOf } from "../../../shared/wiring/engine-settings-of.ts";
import { startLoops } from "../../../shared/wiring/use-cases.ts";
import { silentLog, silentMeter } from "../../recording-log.ts";
import { InProcessEndpoints } from "../in-process-endpoints.ts";
import { lambdaDeployment } from "../lambda-deployment.ts";
import { MemoryQueue } from "../memory-queue.ts";
import { MemoryTable } from "../memory-table.ts";
import { MemoryTimers } from "../memory-timers.ts";
import { SeededIdSource } from "../seeded-id-source.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { CheckedTable } from "./checked-table.ts";
import { Death, FaultyPorts } from "./faulty-ports.ts";
import { Ledger } from "./ledger.ts";
import { skewBehind, type Strike } from "./point.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import { lambda, streaming } from "./services.ts";
import { StreamDeployment, streamingDeployment } from "../stream-deployment.ts";
import { writeInto } from "./step.ts";

/**
 * `sole-owner`: one process owns the store, and its successor counts the leases of the dead process as over. `open-exchanges`:
 * the same, and the exchanges stay open. `shared-table`: the successor waits until the leases of the dead process run out.
 * `open-on-shared-table`: the same, and the exchanges stay open, as those of the functions on AWS do while handlers work.
 */
export type Ownership = "sole-owner" | "open-exchanges" | "shared-table" | "open-on-shared-table";

const isStreamed = (ownership: Ownership): boolean => ownership.startsWith("open-");
const isShared = (ownership: Ownership): boolean => ownership.endsWith("shared-table");

/** Plants a mistake, which a judge must detect, into the engine of a process. */
export type Sabotage = (engine: Engine, generation: number) => Engine;

export interface Running {
  readonly engine: Engine;
  /** Rejects with the death of the process. */
  readonly death: Promise<never>;
}

/** The time from the death of a process to the start of the next one. */
const RESTART_MS = 500;
/** Retentions longer than a day, so that the judge finds results and states after a message that is a day late. */
const KEPT = {
  "default-journal-retention": "3d",
  "default-idempotency-retention": "3d",
  "default-workflow-completion-retention": "3d",
};
/** With this delay of the queue, a sleep of just over half a minute uses the timers, so no scenario needs a long sleep. */
const { settings } = readSettings({ environment: {}, flags: { "worker.queue-delay": "30s", ...KEPT } });

const registered = new Map<boolean, MemoryTable>();

/** The registry with the deployment of the scenarios, discovered once for each protocol mode. */
export async function registry(ownership: Ownership): Promise<MemoryTable> {
  const isStreaming = isStreamed(ownership);
  const known = registered.get(isStreaming);
  if (known !== undefined) return known;
  const meta = new MemoryTable();
  const world = new World(ownership, meta, undefined);
  const uri = "http://simulated.test:9080";
  const request = { uri, useHttp11: false, additionalHeaders: {}, metadata: {}, breaking: false, dryRun: false };
  await register(world.observer(meta), { ...request, force: false });
  registered.set(isStreaming, meta);
  return meta;
}

export class World {
  readonly clock = new VirtualClock();
  readonly table = new CheckedTable(this.clock);
  readonly queue = new MemoryQueue(this.clock);
  readonly timers = new MemoryTimers(this.clock, this.queue);
  readonly ledger = new Ledger();
  /** Messages that come a day late. */
  readonly keptBack: Wake[] = [];
  /** The processes so far, the living one last. */
  readonly processes: FaultyPorts[] = [];
  readonly endpoints: InProcessEndpoints;
  readonly #ownership: Ownership;
  readonly #meta: MemoryTable;
  readonly #sabotage: Sabotage | undefined;
  readonly #arrivals = new Set<(running: Running) => void>();
  #running: Running | undefined;

  constructor(ownership: Ownership, meta: MemoryTable, sabotage: Sabotage | undefined) {
    this.#ownership = ownership;
    this.endpoints = isStreamed(ownership)
      ? new InProcessEndpoints(streamingDeployment(streaming), new StreamDeployment(streaming))
      : new InProcessEndpoints(lambdaDeployment(lambda));
    this.#meta = meta.fork();
    this.#sabotage = sabotage;
    writeInto(this.ledger);
  }

  /** Writes progress up to the present for the sweeper, so that the next sweeper does not search the beginning of the listing. */
  async settle(): Promise<void> {
    const engine = this.observer();
    await writeProgress(engine, atFirst(engine));
  }

  /**
   * Starts a process; its successors start after its death.
   * @param strikes the strike of each process, in the order of their lives; later processes have none
   * @param losesHints whether all messages and timers are lost with this process
   */
  start(strikes: readonly (Strike | undefined)[], losesHints = false): void {
    const generation = this.processes.length + 1;
    let reject: (death: Death) => void = () => {};
    const death = new Promise<never>((_, refuse) => (reject = refuse));
    death.catch(() => undefined);
    const skewMs = skewBehind(strikes[generation - 2]?.fault);
    const around = { clock: this.clock, skewMs, keepBack: (wake: Wake) => void this.keptBack.push(wake) };
    const ports = new FaultyPorts(around, strikes[generation - 1], () => {
      this.#running = undefined;
      if (losesHints) for (const hints of [this.queue, this.timers]) hints.clear();
      reject(new Death("the process died"));
      void this.clock.sleep(RESTART_MS).then(() => this.start(strikes));
    });
    this.processes.push(ports);
    const sound = this.#engine(`p${generation}`, ports);
    const engine = this.#sabotage?.(sound, generation) ?? sound;
    const running: Running = { engine, death };
    this.#running = running;
    this.#startLoops(engine);
    for (const arrived of this.#arrivals) arrived(running);
    this.#arrivals.clear();
  }

  /** @returns the living process, or the next one */
  alive(): Promise<Running> {
    const running = this.#running;
    if (running !== undefined) return Promise.resolve(running);
    return new Promise((resolve) => this.#arrivals.add(resolve));
  }

  /** An engine on the durable parts without faults; its calls are not counted. */
  observer(meta = this.#meta): Engine {
    const { clock, table, queue, timers, endpoints } = this;
    return compose({ clock, table, meta, queue, timers, endpoints }, "observer", undefined);
  }

  #engine(owner: string, ports: FaultyPorts): Engine {
    const parts = {
      clock: ports.clock(),
      table: ports.table("table", this.table),
      meta: ports.table("meta", this.#meta),
      queue: ports.queue(this.queue),
      timers: ports.timers(this.timers),
      endpoints: ports.endpoints(this.endpoints),
    };
    return compose(parts, owner, isShared(this.#ownership) ? undefined : owner);
  }

  /** The local process recovers the work of its predecessor; on a shared table there are only worker and sweeper. */
  #startLoops(engine: Engine): void {
    if (!isShared(this.#ownership)) {
      const embedded = { engine, metricsText: async () => "", expire: async () => {}, close: async () => {} };
      startLoops(embedded, { concurrencyMax: 100 });
      return;
    }
    const { signal } = new AbortController();
    void runWorker(engine, signal, { concurrencyMax: 100 });
    void runSweeper(engine, signal);
  }
}

/** No handler counts as quiet, so that every exchange stays open. */
class NoneQuiet extends OpenStreams {
  override isQuiet(): boolean {
    return false;
  }
}

type Parts = Pick<Engine, "clock" | "table" | "meta" | "queue" | "timers" | "endpoints">;

/**
 * Slots without a bound. Only a process that owns its store takes slots: one for each send that it drives at once and does not
 * leave to the queue.
 */
const ENDLESS: DriveSlots = { take: () => () => undefined, lastMoveOf: () => 0 };

function compose(parts: Parts, owner: string, exclusiveOwnerPrefix: string | undefined): Engine {
  const engineSettings = engineSettingsOf(settings, exclusiveOwnerPrefix);
  return {
    ...parts,
    registry: createStoredRegistry({ meta: parts.meta, clock: parts.clock, settings: engineSettings }),
    ids: new SeededIdSource(owner),
    log: silentLog,
    meter: silentMeter,
    activeInvocations: Object.assign(new ActiveInvocations(parts.clock, owner), {
      streams: new NoneQuiet(),
      slots: ENDLESS,
    }),
    bulkheads: newBulkheads(parts.clock),
    settings: engineSettings,
  };
}
