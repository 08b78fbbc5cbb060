/** The composition root of the local process: connects every port to resources of one machine. */
import { join } from "node:path";
import { CronCalendar } from "../adapters/calendar/cron-calendar.ts";
import { openEmbeddedQueue } from "../adapters/embedded/embedded-queue.ts";
import { EmbeddedTable } from "../adapters/embedded/embedded-table.ts";
import { openEmbeddedTimers } from "../adapters/embedded/embedded-timers.ts";
import { lookWhenSet } from "../adapters/embedded/look-when-set.ts";
import { openStore, type Store } from "../adapters/embedded/store.ts";
import type { StoreKind } from "../adapters/embedded/store-version.ts";
import { HttpsEndpoints } from "../adapters/https/https-endpoints.ts";
import { SystemClock } from "../adapters/system/clock.ts";
import { SecretIdSource } from "../adapters/system/id-source.ts";
import { PrometheusMeter } from "../adapters/system/prometheus-meter.ts";
import type { Settings } from "../config/settings-table.ts";
import { LISTING_SHOWN } from "../config/table-facts.ts";
import { Budget } from "../engine/bulkheads/budget.ts";
import { newBulkheads, showBudget } from "../engine/bulkheads/bulkheads.ts";
import { ActiveInvocations } from "../engine/local/active-invocations.ts";
import { RecentEnds } from "../engine/local/recent-ends.ts";
import type { Engine } from "../engine/engine.ts";
import type { Activity } from "../engine/ports/activity.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Log, Meter } from "../engine/ports/log.ts";
import type { ReadinessCheck } from "../engine/ports/readiness.ts";
import { createStoredRegistry } from "../engine/register/stored-registry.ts";
import type { SchedulePorts } from "../engine/ports/schedules.ts";
import { MemoryWakes, runSchedules } from "../engine/schedules/run-schedules.ts";
import { engineSettingsOf, soleOwner } from "./engine-settings-of.ts";
import { environmentSecret, freshOwner, freshSecretBytes } from "./environment-secret.ts";
import { expireItems } from "./expire-items.ts";
import { readableRegistry, storeRefusal, warnWhereReadable } from "./start-refusals.ts";
import { signingEndpoints } from "./signing-endpoints.ts";
import { memoryBudgets, type ListenerLimits } from "./memory-size.ts";
import { tracing } from "./tracing.ts";
import { roomText } from "../adapters/embedded/store-room.ts";
import { AddressGuard } from "../adapters/https/address-guard.ts";
import { KafkaTopics } from "../adapters/kafka/kafka-topics.ts";
import type { RecordRoom, Topics } from "../engine/ports/topics.ts";

/** The memory budgets of one listener, for all its connections together. */
export interface ListenerBudgets {
  /** Bytes of the bodies of unanswered requests. */
  readonly bodies: Budget;
  /** Bytes of answers that clients have not read yet. */
  readonly answers: Budget;
}

export interface Embedded {
  readonly engine: Engine;
  readonly ingressBudgets: ListenerBudgets;
  readonly adminBudgets: ListenerBudgets;
  /** Counts how the invocations of the last hour ended. */
  readonly recentEnds: RecentEnds;
  /** The metrics in the text format of Prometheus. */
  metricsText(): Promise<string>;
  /** Whether the stores take writes and have room. */
  readiness(): Promise<readonly ReadinessCheck[]>;
  /** Removes expired items until the signal aborts. */
  expire(signal: AbortSignal): Promise<void>;
  /** Lets what became due because the clock was set begin within a second, until the signal aborts. */
  followClock(signal: AbortSignal): Promise<void>;
  /** Runs the schedules until the signal aborts. */
  runSchedules(signal: AbortSignal): Promise<void>;
  /** Closes connections and stores. All users of the engine must have ended before. */
  close(): Promise<void>;
}

/**
 * Checks and opens the stores `meta` and `journal` and connects the engine. A store is in the data directory, unless a setting gives it
 * another path. No transaction spans both.
 * @param activity gets each invocation that ends
 * @throws CodedError RT0002 for an unreadable key, RT0005, RT0009, RT0900, RT0901, RT0902, META0010 or META0011 if a store
 * cannot be opened, META0005 if the registry cannot be read
 */
export async function openEmbedded(settings: Settings, log: Log, activity?: Activity): Promise<Embedded> {
  const metaStore = await open(settings, "meta", log);
  let journalStore: Store | undefined;
  try {
    journalStore = await open(settings, "journal", log);
    const embedded = await compose(settings, log, metaStore, journalStore);
    const recentEnds = new RecentEnds(embedded.engine.clock, activity);
    return { ...embedded, recentEnds, engine: { ...embedded.engine, activity: recentEnds } };
  } catch (error) {
    await journalStore?.close();
    await metaStore.close();
    throw error;
  }
}

const STORAGE_PATH = { meta: "meta.storage-path", journal: "worker.storage.path" } as const;

/** Directories of the first format have this many shards. On a disk, reading so many shards costs nearly nothing. */
const INDEX_SHARDS = 8;

const JOURNAL_ROOM = {
  /** The limit of loads of large journals at a time, because each load takes about three times its bytes in memory. */
  largeLoadsAtOnce: 4,
  /** A thousand invocations may be in memory, so the budget of journals counts much smaller journals here than on AWS. */
  journalsCountedFromBytes: 64 * 1024,
};

/**
 * The attributes that index entries contain beside their keys. The entries of the open index contain none, because it changes
 * often; a query of the open index reads its few items instead.
 */
const SHOWN = { list: LISTING_SHOWN };

const BODY_PATIENCE_MS = 10_000;
/** The shortest time between two ticks of one schedule. */
const INTERVAL_MIN_MS = 1_000;
/** Longer than the time after which stalled answers are cut: a waiting request gets the freed room before it gives up. */
const ANSWER_PATIENCE_MS = 15_000;

/** The journal is opened again with what its memory holds at most, 16 MiB; the registry writes little. */
const RESERVE_BYTES: Readonly<Record<StoreKind, number>> = { meta: 1024 * 1024, journal: 17 * 1024 * 1024 };

async function open(settings: Settings, kind: StoreKind, log: Log): Promise<Store> {
  const directory = settings[STORAGE_PATH[kind]] ?? join(settings["data-dir"], kind);
  try {
    const store = await openStore(directory, { kind, reserveBytes: RESERVE_BYTES[kind] });
    warnWhereReadable(directory, log);
    for (const { file, bytes } of store.torn) log.write("store.torn-end", { file, bytes });
    return store;
  } catch (error) {
    throw storeRefusal(kind, error);
  }
}

/** The parts that are made from the stores and the settings; `recentEnds` is added to them later. */
type Composed = Omit<Embedded, "recentEnds">;

async function compose(settings: Settings, log: Log, metaStore: Store, journalStore: Store): Promise<Composed> {
  const stores = { meta: metaStore, journal: journalStore };
  const clock: Clock = new SystemClock();
  const owner = freshOwner();
  const activeInvocations = new ActiveInvocations(clock, owner);
  const engineSettings = engineSettingsOf(settings, { ownership: soleOwner(owner), indexShards: INDEX_SHARDS });
  const meta = new EmbeddedTable(metaStore);
  const table = new EmbeddedTable(journalStore, SHOWN);
  const queue = await openEmbeddedQueue(journalStore, clock);
  const timers = await openEmbeddedTimers(journalStore, queue, clock);
  const { schedules, wakes } = localSchedules(clock);
  const endpoints = localEndpoints(settings);
  const meter = new PrometheusMeter();
  const limits = memoryBudgets(settings);
  const bulkheads = newBulkheads(clock, { ...limits, ...JOURNAL_ROOM });
  const { topics, records } = kafkaTopics(clock, log, limits.recordsMaxBytes);
  const ingressBudgets = listenerBudgets(clock, limits.ingress);
  const adminBudgets = listenerBudgets(clock, limits.admin);
  const engine: Engine = {
    table,
    meta,
    queue,
    timers,
    schedules,
    topics,
    endpoints: signingEndpoints(endpoints, settings, clock, log),
    registry: createStoredRegistry({ meta, clock, settings: engineSettings }),
    clock,
    ids: new SecretIdSource(await environmentSecret(meta, engineSettings.keyPrefix, freshSecretBytes)),
    log,
    meter,
    ...(await tracing(settings, log)),
    activeInvocations,
    bulkheads,
    settings: engineSettings,
  };
  await readableRegistry(engine.registry);
  return {
    engine,
    ingressBudgets,
    adminBudgets,
    readiness: () => storeChecks(stores),
    metricsText: async () => {
      const { replies, journals } = bulkheads;
      showBudgets(meter, { replies, journals, records }, { ingress: ingressBudgets, admin: adminBudgets });
      return await readMetrics(meter, engine, stores);
    },
    expire: (signal) =>
      expireItems({ table, clock, log, activeInvocations, everyMs: settings["worker.cleanup-interval"] }, signal),
    followClock: (signal) => lookWhenSet(clock, [queue, timers, wakes], signal),
    runSchedules: (signal) => runSchedules(engine, wakes, signal),
    async close() {
      endpoints.close();
      await journalStore.close();
      await metaStore.close();
    },
  };
}

async function readMetrics(meter: PrometheusMeter, engine: Engine, stores: Stores): Promise<string> {
  meter.gauge("circuits_open", engine.registry.circuits().size);
  await showStores(meter, stores);
  return await meter.text();
}

function localEndpoints(settings: Settings): HttpsEndpoints {
  return new HttpsEndpoints({
    // Deployments run on this machine or in its network, so a guard against private addresses would protect nothing.
    allow: ["loopback", "private"],
    connectTimeoutMs: settings["worker.invoker.connect-timeout"],
  });
}

function localSchedules(clock: Clock): { readonly schedules: SchedulePorts; readonly wakes: MemoryWakes } {
  const wakes = new MemoryWakes(clock);
  return { schedules: { calendar: new CronCalendar(), wakes, intervalMinMs: INTERVAL_MIN_MS }, wakes };
}

function showBudgets(
  meter: Meter,
  budgets: Readonly<Record<string, Budget>>,
  listeners: Readonly<Record<string, ListenerBudgets>>,
): void {
  for (const [name, budget] of Object.entries(budgets)) showBudget(meter, name, budget);
  for (const [name, { bodies, answers }] of Object.entries(listeners)) {
    showBudget(meter, `${name}-bodies`, bodies);
    showBudget(meter, `${name}-answers`, answers);
  }
}

function listenerBudgets(clock: Clock, { bodiesMaxBytes, answersMaxBytes }: ListenerLimits): ListenerBudgets {
  return {
    bodies: new Budget({ capacity: bodiesMaxBytes, patienceMs: BODY_PATIENCE_MS, clock }),
    answers: new Budget({ capacity: answersMaxBytes, patienceMs: ANSWER_PATIENCE_MS, clock }),
  };
}

type Stores = Readonly<Record<"meta" | "journal", Store>>;

async function storeChecks(stores: Stores): Promise<readonly ReadinessCheck[]> {
  const checks = await Promise.all(Object.entries(stores).map(async ([kind, store]) => await checksOf(kind, store)));
  return checks.flat();
}

async function showStores(meter: Meter, stores: Stores): Promise<void> {
  for (const [kind, store] of Object.entries(stores)) {
    meter.gauge("store_writable", store.isDown ? 0 : 1, { store: kind });
    const room = await store.room();
    if (room !== undefined) meter.gauge("store_free_bytes", room.freeBytes, { store: kind });
    if (room !== undefined) meter.gauge("store_needed_bytes", room.neededBytes, { store: kind });
  }
}

async function checksOf(kind: string, store: Store): Promise<readonly ReadinessCheck[]> {
  const room = await store.room();
  const isShort = room !== undefined && room.freeBytes < room.neededBytes;
  return [
    await writableCheck(`${kind}-store`, store),
    {
      name: `${kind}-room`,
      isOk: !isShort,
      ...(isShort && { reason: `the disk of the ${kind} store is nearly full: ${roomText(room)}` }),
    },
  ];
}

async function writableCheck(name: string, store: Store): Promise<ReadinessCheck> {
  try {
    await store.whenUsable();
    return { name, isOk: true };
  } catch (error) {
    return { name, isOk: false, reason: (error as Error).message };
  }
}

const PATIENCE_MS = 10_000;

/** @param recordsMaxBytes the memory for records that wait for their acceptance */
export function kafkaTopics(
  clock: Clock,
  log: Log,
  recordsMaxBytes: number,
): { readonly topics: Topics; readonly records: Budget } {
  const records = new Budget({ capacity: recordsMaxBytes, patienceMs: PATIENCE_MS, clock });
  // Brokers run on this machine or in its network, as deployments do.
  const guard = new AddressGuard(["loopback", "private"]);
  const topics = new KafkaTopics({
    clock,
    log,
    roomOf: (id) => roomIn(records, id),
    refusalOf: (address) => guard.refusal(address),
  });
  return { topics, records };
}

/** A subscription is a lane, so that one with large records leaves room for others. */
function roomIn(budget: Budget, lane: string): RecordRoom {
  const account = budget.open(lane);
  return {
    take: async (sizeBytes) => await account.grow(sizeBytes),
    giveBack: (sizeBytes) => account.shrink(sizeBytes),
    close: () => account.close(),
  };
}
