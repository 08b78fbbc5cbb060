/** The world of one seed of topics: broker, tables and queue survive; the processes that read and accept come and go. */
import { EventSourceTopics } from "../../../shared/adapters/event-sources/event-source-topics.ts";
import type { TableRole } from "../../../shared/config/table-rights.ts";
import type { Budget } from "../../../shared/engine/bulkheads/budget.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { ActiveInvocations } from "../../../shared/engine/local/active-invocations.ts";
import type { Table } from "../../../shared/engine/ports/table.ts";
import type { RecordSink, Topics } from "../../../shared/engine/ports/topics.ts";
import { createStoredRegistry } from "../../../shared/engine/register/stored-registry.ts";
import { recover } from "../../../shared/engine/sweep/sweep.ts";
import { runTopics } from "../../../shared/engine/topics/follow-subscriptions.ts";
import { deliverRecords } from "../../../shared/wiring/deliver-records.ts";
import { engineSettingsOf, soleOwner } from "../../../shared/wiring/engine-settings-of.ts";
import { kafkaTopics } from "../../../shared/wiring/embedded.ts";
import { SHARED } from "../../harness/engine/base-settings.ts";
import { silentLog, silentMeter } from "../../recording-log.ts";
import { tableWithinRights, type Refusals } from "../../harness/engine/table-within-rights.ts";
import { type Deployment, InProcessEndpoints } from "../in-process-endpoints.ts";
import { MemoryQueue } from "../memory-queue.ts";
import type { MemoryTable } from "../memory-table.ts";
import { MemoryTimers } from "../memory-timers.ts";
import { SeededIdSource } from "../seeded-id-source.ts";
import { LEASE_MS, SETTINGS } from "../seeds/compose.ts";
import { Fate } from "../seeds/fate.ts";
import { Leap } from "../seeds/leap.ts";
import { Death, Mortal } from "../seeds/mortal.ts";
import { endpointsOf, queueOf, tableOf, timersOf } from "../seeds/mortal-ports.ts";
import type { Random } from "../random.ts";
import { sweepBeside } from "../seeds/sweeper.ts";
import { WatchedTable } from "../seeds/watched-table.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { Broker } from "./broker.ts";
import { sites } from "./client-of-site.ts";
import { Judge } from "./judge.ts";
import { SimulatedLambda } from "./mappings.ts";
import type { Plan } from "./plan.ts";
import { misled } from "./second-reader.ts";
import type { Site } from "./simulated-client.ts";

/** The tables without faults, for a planted mistake that reads or writes positions. */
export type Ground = Pick<Engine, "meta" | "table" | "settings">;

/** Plants mistakes, which a judge must detect, into every process. */
export interface Sabotage {
  readonly engine?: (engine: Engine) => Engine;
  readonly sink?: (sink: RecordSink, ground: Ground) => RecordSink;
  readonly site?: (site: Site) => Site;
  readonly budget?: (budget: Budget) => void;
}

export interface Running {
  readonly mortal: Mortal;
  readonly engine: Engine;
  /** Rejects with the death of the process. */
  readonly death: Promise<never>;
  /** The room for fetched records; undefined on AWS. */
  readonly records: Budget | undefined;
  /** Ends the reading of this process. */
  readonly stop: () => Promise<void>;
}

export interface Making {
  readonly random: Random;
  readonly plan: Plan;
  readonly meta: MemoryTable;
  readonly deployment: Deployment;
  readonly trace: (line: string) => void;
  readonly sabotage?: Sabotage | undefined;
}

const RESTART_MAX_MS = 3_000;
const FOLLOW_EVERY_MS = 2_000;
const RECORDS_MAX_BYTES = 40_000;
export const TOPIC = "orders";
export const FETCH_MAX_BYTES = 8_000;

export class World {
  readonly clock = new VirtualClock();
  readonly table = new WatchedTable();
  readonly meta = new WatchedTable();
  readonly queue = new MemoryQueue(this.clock);
  readonly endpoints: InProcessEndpoints;
  readonly fate: Fate;
  readonly random: Random;
  readonly plan: Plan;
  readonly broker: Broker;
  readonly judge: Judge;
  readonly trace: (line: string) => void;
  readonly running = new Set<Running>();
  /** What a function tried beyond the rights of its role. */
  readonly refusals: Refusals = new Set();
  readonly #timers = new MemoryTimers(this.clock, this.queue);
  readonly #lambda: SimulatedLambda | undefined;
  readonly #sabotage: Sabotage;
  readonly #waiting = new Set<(running: Running) => void>();
  readonly #leap = new Leap(this.clock);
  readonly #seed: number;
  #born = 0;

  constructor({ random, plan, meta, deployment, trace, sabotage }: Making) {
    this.random = random;
    this.plan = plan;
    this.trace = (line) => trace(`${this.clock.nowMs() % 10_000_000} ${line}`);
    this.#seed = random.between(0, 2 ** 31);
    this.fate = new Fate(random);
    this.broker = new Broker(TOPIC, plan.partitions);
    this.judge = new Judge(plan, this.broker);
    this.endpoints = new InProcessEndpoints(deployment);
    this.#sabotage = sabotage ?? {};
    for (const item of meta.all()) void this.meta.put(item);
    if (plan.kind === "aws") this.#lambda = new SimulatedLambda(this.#lambdaOf());
  }

  start(): void {
    const processes = this.plan.kind === "local" ? 1 : this.random.between(2, 3);
    for (let n = 0; n < processes; n++) this.#give();
  }

  /** @returns a living process; if there is none, the next one that starts */
  alive(): Promise<Running> {
    if (this.running.size > 0) return Promise.resolve(this.random.pick([...this.running]));
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Runs work in a process, as an operator's request. @throws Death if the process dies first */
  async within<T>({ mortal, death }: Running, work: () => Promise<T>): Promise<T> {
    return await Promise.race([sites.run(this.#site(mortal), work), death]);
  }

  #lambdaOf() {
    return {
      broker: this.broker,
      clock: this.clock,
      random: this.random,
      onLatest: (group: string, partition: number, offset: number) => this.judge.noteLatest(group, partition, offset),
      misbehaves: () => !this.fate.isOver,
      deliver: async (event: Parameters<typeof deliverRecords>[1], arn: string) => {
        const { engine, death } = await this.alive();
        await Promise.race([deliverRecords(this.#withinRights(engine, "topics"), event, arn), death]);
      },
    };
  }

  #withinRights(engine: Engine, role: TableRole): Engine {
    const within = (table: Table): Table => tableWithinRights(table, role, this.refusals);
    return { ...engine, table: within(engine.table), meta: within(engine.meta) };
  }

  #site(mortal: Mortal): Site {
    const site: Site = {
      broker: this.broker,
      mortal,
      clock: this.clock,
      random: this.random,
      batchesMax: this.plan.batchesMax,
      listsAborted: true,
      onLatest: (group, partition, offset) => this.judge.noteLatest(group, partition, offset),
    };
    return this.#sabotage.site?.(site) ?? site;
  }

  #give(): void {
    const { clock, random, fate, plan, trace } = this;
    const isLocal = plan.kind === "local";
    const name = `m${++this.#born}`;
    let reject: (death: Death) => void = () => {};
    const death = new Promise<never>((_, refuse) => (reject = refuse));
    death.catch(() => undefined);
    const around = { clock, random, fate, leaseMs: LEASE_MS, ownsStore: isLocal, trace };
    const stopping = new AbortController();
    const mortal = new Mortal(name, around, () => {
      this.running.delete(running);
      stopping.abort();
      reject(new Death("the process died"));
      void clock.sleep(random.between(1, RESTART_MAX_MS)).then(() => this.#give());
    });
    const { topics, records } = this.#topics(mortal);
    const sound = this.#engine(mortal, topics);
    const engine = this.#sabotage.engine?.(sound) ?? sound;
    const running: Running = { mortal, engine, death, records, stop: () => topics.close() };
    this.running.add(running);
    const { signal } = new AbortController();
    void runWorker(engine, signal, { concurrencyMax: 100 });
    sweepBeside(engine, this.#leap, signal);
    if (isLocal) recover(engine).catch(() => undefined);
    // On AWS the sweeper's function follows the subscriptions.
    const follower = isLocal ? engine : this.#withinRights(engine, "sweeper");
    sites.run(this.#site(mortal), () => void runTopics(follower, signal, FOLLOW_EVERY_MS));
    for (const arrived of this.#waiting) arrived(running);
    this.#waiting.clear();
  }

  #topics(mortal: Mortal): { readonly topics: Topics; readonly records: Budget | undefined } {
    if (this.#lambda !== undefined)
      return { topics: new EventSourceTopics(this.#lambda.of(mortal), mortal.clock()), records: undefined };
    const { topics, records } = kafkaTopics(mortal.clock(), silentLog, RECORDS_MAX_BYTES);
    this.#sabotage.budget?.(records);
    const ground = {
      meta: this.meta,
      table: this.table,
      settings: engineSettingsOf(SETTINGS, { ownership: SHARED, indexShards: 1 }),
    };
    const changed = (sink: RecordSink): RecordSink =>
      misled(this.#sabotage.sink?.(sink, ground) ?? sink, this.random, () => !this.fate.isOver);
    return {
      records,
      topics: {
        follow: (wanted, sink, untilMs) => topics.follow(wanted, changed(sink), untilMs),
        lag: (consumption) => topics.lag(consumption),
        close: () => topics.close(),
      },
    };
  }

  #engine(mortal: Mortal, topics: Topics): Engine {
    const clock = mortal.clock();
    const meta = tableOf(mortal, this.meta);
    const ownership = this.plan.kind === "local" ? soleOwner(mortal.name) : SHARED;
    const engineSettings = {
      ...engineSettingsOf(SETTINGS, { ownership, indexShards: 1 }),
      recordSizeMaxBytes: 10_000,
    };
    return {
      clock,
      meta,
      table: tableOf(mortal, this.table),
      queue: queueOf(mortal, this.queue, this.random, this.#leap),
      timers: timersOf(mortal, this.#timers),
      endpoints: endpointsOf(mortal, this.endpoints, this.random),
      registry: createStoredRegistry({ meta, clock, settings: engineSettings }),
      ids: new SeededIdSource(`${this.#seed}.${mortal.name}`),
      log: silentLog,
      meter: silentMeter,
      activeInvocations: new ActiveInvocations(clock, mortal.name),
      bulkheads: newBulkheads(clock),
      topics,
      settings: engineSettings,
    };
  }
}
