/**
 * The real engine over given tables, which several processes share as on AWS. The stage counts every request to the
 * table and the queue.
 */
import { join } from "node:path";
import { openEmbeddedQueue } from "../../../shared/adapters/embedded/embedded-queue.ts";
import { openEmbeddedTimers } from "../../../shared/adapters/embedded/embedded-timers.ts";
import { openStore } from "../../../shared/adapters/embedded/store.ts";
import { HttpsEndpoints } from "../../../shared/adapters/https/https-endpoints.ts";
import { SecretIdSource } from "../../../shared/adapters/system/id-source.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { ActiveInvocations } from "../../../shared/engine/local/active-invocations.ts";
import type { EngineSettings } from "../../../shared/engine/ports/engine-settings.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Codec } from "../../../shared/engine/ports/codec.ts";
import type { Queue } from "../../../shared/engine/ports/queue.ts";
import type { Item, Table } from "../../../shared/engine/ports/table.ts";
import type { Timers } from "../../../shared/engine/ports/timers.ts";
import { register } from "../../../shared/engine/register/register.ts";
import { createStoredRegistry } from "../../../shared/engine/register/stored-registry.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { RecordingLog, silentMeter } from "../../recording-log.ts";
import { BASE_SETTINGS } from "./base-settings.ts";
import { type BudgetDeployment, startBudgetDeployment } from "./budget-deployment.ts";
import { CountedQueue } from "./counted-queue.ts";
import { CountedTable } from "./counted-table.ts";

export const LEASE_MS = BASE_SETTINGS.leaseMs;
const CONCURRENCY_MAX = 100;

const SETTINGS: EngineSettings = {
  ...BASE_SETTINGS,
  messageSizeMaxBytes: 1 << 25,
  silentAfterMs: 3_600_000,
  defaults: {
    abortTimeoutMs: 3_600_000,
    inactivityTimeoutMs: 60_000,
    journalRetentionMs: 86_400_000,
    idempotencyRetentionMs: 86_400_000,
    workflowRetentionMs: 86_400_000,
    lazyState: false,
    public: true,
    retry: { initialIntervalMs: 50, maxIntervalMs: 60_000, factor: 2, maxAttempts: 70, onMaxAttempts: "pause" },
  },
  clusterName: "stepwell",
};

/** One process: an engine whose requests to the table are counted separately, and optionally a worker. */
export interface Process {
  readonly engine: Engine;
  readonly table: CountedTable;
  readonly log: RecordingLog;
  /** Starts a worker, which ends with the stage. */
  work(): void;
  /** Freezes the process in the middle of its work: its requests get no answers, and it takes no messages. */
  freeze(): void;
  /** Resumes the process where it was frozen, with its old memory. */
  thaw(): void;
}

/** The codec and the timers of the stage, if a test replaces them. */
export interface StageParts {
  readonly codec?: Codec;
  readonly timers?: (queue: Queue, clock: Clock) => Timers;
}

export interface Stage {
  readonly deployment: BudgetDeployment;
  readonly queue: CountedQueue;
  process(settings?: Partial<EngineSettings>): Process;
  close(): Promise<void>;
}

export async function openStage(
  clock: Clock,
  tables: { readonly table: Table; readonly meta: Table },
  { codec, timers: makeTimers }: StageParts = {},
): Promise<Stage> {
  const dir = await temporaryDirectory();
  const store = await openStore(join(dir, "queue"), { kind: "journal" });
  const embeddedQueue = await openEmbeddedQueue(store, clock);
  const queue = new CountedQueue(embeddedQueue);
  const timers = makeTimers?.(queue, clock) ?? (await openEmbeddedTimers(store, embeddedQueue, clock));
  const endpoints = new HttpsEndpoints({ allow: ["loopback"] });
  const deployment = await startBudgetDeployment();
  const stopping = new AbortController();
  const workers: Promise<void>[] = [];
  const processes: Process[] = [];
  const items = new Map<string, Item>();

  function start(changed: Partial<EngineSettings> = {}): Process {
    const settings = { ...SETTINGS, ...changed };
    const table = new CountedTable(tables.table, items);
    const log = new RecordingLog();
    const engine: Engine = {
      table,
      meta: tables.meta,
      queue: frozenWith(table, queue),
      timers,
      endpoints,
      registry: createStoredRegistry({ meta: tables.meta, clock, settings }),
      clock,
      ids: new SecretIdSource(new Uint8Array(32)),
      ...(codec !== undefined && { codec }),
      log,
      meter: silentMeter,
      activeInvocations: new ActiveInvocations(clock, `p${processes.length}`),
      bulkheads: newBulkheads(clock),
      settings,
    };
    const standing = new AbortController();
    const signal = AbortSignal.any([stopping.signal, standing.signal]);
    let thaw = (): void => {};
    const started: Process = {
      engine,
      table,
      log,
      work: () => void workers.push(runWorker(engine, signal, { concurrencyMax: CONCURRENCY_MAX })),
      freeze() {
        standing.abort();
        table.frozen = new Promise((resolve) => (thaw = resolve));
      },
      thaw() {
        table.frozen = undefined;
        thaw();
      },
    };
    processes.push(started);
    return started;
  }

  const { engine } = start();
  const additionalHeaders = {};
  const request = { uri: deployment.uri, useHttp11: true, additionalHeaders, metadata: {} };
  await register(engine, { ...request, force: false, breaking: false, dryRun: false });
  return {
    deployment,
    queue,
    process: start,
    async close() {
      stopping.abort();
      deployment.openGate();
      for (const one of processes) {
        one.engine.activeInvocations.stop();
        one.thaw();
      }
      await deployment.stop();
      endpoints.close();
      await Promise.all(workers);
      await store.close();
      await removeDirectory(dir);
    },
  };
}

/** The queue as one process sees it: requests of a frozen process are made when it resumes. */
function frozenWith(table: CountedTable, queue: Queue): Queue {
  return {
    send: async (wake) => (await table.frozen, await queue.send(wake)),
    recall: async (handle) => (await table.frozen, await queue.recall(handle)),
    receive: (limit, visibilityMs, waitMs, signal) => queue.receive(limit, visibilityMs, waitMs, signal),
    extend: async (receipt, visibilityMs) => (await table.frozen, await queue.extend(receipt, visibilityMs)),
    ack: async (receipt) => (await table.frozen, await queue.ack(receipt)),
  };
}

export function systemPause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
