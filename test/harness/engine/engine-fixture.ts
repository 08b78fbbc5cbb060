/** A stage for the use cases: embedded stores in a fresh directory, a clock that tests move, and a scripted deployment. */
import { join } from "node:path";
import { openEmbeddedQueue } from "../../../shared/adapters/embedded/embedded-queue.ts";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { openEmbeddedTimers } from "../../../shared/adapters/embedded/embedded-timers.ts";
import { MESSAGE, TIMER } from "../../../shared/adapters/embedded/key-encoding.ts";
import { openStore, type Store } from "../../../shared/adapters/embedded/store.ts";
import { CronCalendar } from "../../../shared/adapters/calendar/cron-calendar.ts";
import { SecretIdSource } from "../../../shared/adapters/system/id-source.ts";
import { LISTING_SHOWN } from "../../../shared/config/table-facts.ts";
import type { Deployment } from "../../../shared/core/model/deployment.ts";
import type { DeploymentId } from "../../../shared/core/model/ids.ts";
import type { RetryPolicy, Service } from "../../../shared/core/model/service.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { ActiveInvocations } from "../../../shared/engine/local/active-invocations.ts";
import type { EngineSettings } from "../../../shared/engine/ports/engine-settings.ts";
import type { SharedStore } from "../../../shared/engine/ports/store-ownership.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { call } from "../../../shared/engine/ingress/call.ts";
import type { Queue } from "../../../shared/engine/ports/queue.ts";
import type { Table } from "../../../shared/engine/ports/table.ts";
import type { Timers } from "../../../shared/engine/ports/timers.ts";
import { MemoryWakes, runSchedules } from "../../../shared/engine/schedules/run-schedules.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import { createStoredRegistry } from "../../../shared/engine/register/stored-registry.ts";
import type { Ended, Sent, Submission } from "../../../shared/engine/ports/submission.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { deployment, deploymentId, service } from "../../core/registry/sample-deployment.ts";
import { RecordingLog, RecordingMeter } from "../../recording-log.ts";
import { BASE_SETTINGS, SHARED } from "./base-settings.ts";
import { EngineProcess } from "./engine-process.ts";
import { Pulse } from "./pulse.ts";
import type { Handler } from "./script-context.ts";
import { ScriptedDeployment } from "./scripted-deployment.ts";

export const LEASE_MS = BASE_SETTINGS.leaseMs;
const RETRY: RetryPolicy = { initialIntervalMs: 100, maxIntervalMs: 10_000, factor: 2, onMaxAttempts: "pause" };

export interface StageSettings extends Partial<Omit<EngineSettings, "defaults" | "ownership">> {
  /** For actors that are sole owners; 0 by default. */
  readonly acceptanceWaitMs?: number;
  /** For actors that share the store; a slow service has no lane of its own by default. */
  readonly slow?: Pick<SharedStore, "slowFromMs" | "slowServices">;
  readonly retry?: Partial<RetryPolicy>;
  readonly abortTimeoutMs?: number;
  readonly inactivityTimeoutMs?: number;
  readonly journalRetentionMs?: number;
  readonly idempotencyRetentionMs?: number;
  readonly workflowRetentionMs?: number;
  /** Services in addition to `S`. The stage finds a handler by its name, whatever its service. */
  readonly services?: readonly Service[];
  /** Changes the deployment. */
  readonly deployed?: Partial<Pick<Deployment, "protocolMode" | "destination">>;
}

interface Stores {
  readonly journal: Store;
  readonly metaStore: Store;
  readonly table: Table;
  readonly meta: Table;
  readonly queue: Queue;
  readonly timers: Timers;
}

/** An engine, its process, and the worker that may run in it. */
export interface Actor {
  readonly engine: Engine;
  readonly process: EngineProcess;
  readonly log: RecordingLog;
  readonly meter: RecordingMeter;
  startWorker(): void;
  /** Runs the schedules until the process dies, as the local process does. */
  startSchedules(): void;
  /** Takes no new messages, and resolves when the running work is over. */
  stopWorker(): Promise<void>;
  /** Ends the process as a crash does, without any further write. */
  die(): void;
}

export class Stage {
  readonly pulse = new Pulse();
  readonly deployment: ScriptedDeployment;
  readonly #settings: StageSettings;
  readonly #dir: string;
  #stores!: Stores;
  #actors: Actor[] = [];
  #born = 0;

  private constructor(dir: string, handlers: Record<string, Handler>, settings: StageSettings) {
    this.#dir = dir;
    this.#settings = settings;
    this.deployment = new ScriptedDeployment(handlers);
  }

  /** @param handlers the handlers of service `S`, by name */
  static async open(handlers: Record<string, Handler>, settings: StageSettings = {}): Promise<Stage> {
    const stage = new Stage(await temporaryDirectory(), handlers, settings);
    await stage.#openStores();
    const services = [service("S", Object.keys(handlers)), ...(settings.services ?? [])];
    await writeDeployment(stage.#stores.meta, "", deployment(1, services, settings.deployed), 0);
    return stage;
  }

  /** The names of the services in addition to `S`. */
  get services(): readonly string[] {
    return (this.#settings.services ?? []).map(({ name }) => name);
  }

  get deploymentId(): DeploymentId {
    return deploymentId(1);
  }

  get stores(): Stores {
    return this.#stores;
  }

  async close(): Promise<void> {
    await this.#end();
    await removeDirectory(this.#dir);
  }

  /**
   * Starts a new process over the same stores.
   * @param soleOwner whether the process owns the stores alone
   * @param aheadMs by how much its clock is ahead of the true time, in milliseconds
   */
  actor({ soleOwner = false, aheadMs = 0 }: { soleOwner?: boolean; aheadMs?: number } = {}): Actor {
    const owner = `process-${++this.#born}`;
    const actor = newActor(this, owner, settingsOf(this.#settings, soleOwner ? owner : undefined), aheadMs);
    this.#actors.push(actor);
    return actor;
  }

  /** Ends all processes and opens the stores again from the disk. */
  async reboot(): Promise<void> {
    await this.#end();
    await this.#openStores();
  }

  /** Reboots without messages and timers, as when only the table is restored. */
  async wipeHints(): Promise<void> {
    for (const actor of this.#actors.splice(0)) actor.die();
    await this.pulse.settle();
    const { journal } = this.#stores;
    for (const first of [MESSAGE, TIMER]) {
      const { entries } = await journal.entries({ gte: first, lt: `${first}\uffff` }, 10_000);
      await journal.writeGroup(entries.map(([key]) => ({ type: "del" as const, key })));
    }
    await this.reboot();
  }

  async #end(): Promise<void> {
    for (const actor of this.#actors) actor.die();
    this.#actors = [];
    await this.#stores.journal.close();
    await this.#stores.metaStore.close();
  }

  async #openStores(): Promise<void> {
    const [metaStore, journal] = await Promise.all([
      openStore(join(this.#dir, "meta"), { kind: "meta" }),
      openStore(join(this.#dir, "journal"), { kind: "journal" }),
    ]);
    for (const store of [metaStore, journal]) {
      const { writeGroup } = store;
      store.writeGroup = (operations) => this.pulse.during(writeGroup(operations));
    }
    const queue = await openEmbeddedQueue(journal, this.pulse);
    const timers = await openEmbeddedTimers(journal, queue, this.pulse);
    this.#stores = {
      journal,
      metaStore,
      table: new EmbeddedTable(journal, { list: LISTING_SHOWN }),
      meta: new EmbeddedTable(metaStore),
      queue,
      timers,
    };
  }
}

function newActor(stage: Stage, owner: string, settings: EngineSettings, aheadMs: number): Actor {
  const { stores, pulse, deployment: endpoints } = stage;
  const process = new EngineProcess(pulse);
  const nowMs = () => pulse.nowMs() + aheadMs;
  const clock = process.clock({ nowMs, sleep: (ms, signal) => pulse.sleep(ms, signal) });
  const meta = process.watch("meta", stores.meta);
  const log = new RecordingLog();
  const meter = new RecordingMeter();
  const wakes = new MemoryWakes(clock);
  const engine: Engine = {
    table: process.watch("table", stores.table),
    schedules: { calendar: new CronCalendar(), wakes, intervalMinMs: 1_000 },
    meta,
    queue: process.watch("queue", stores.queue),
    timers: process.watch("timers", stores.timers),
    endpoints,
    registry: createStoredRegistry({ meta, clock, settings }),
    clock,
    ids: new SecretIdSource(new Uint8Array(32).fill(7)),
    log,
    meter,
    activeInvocations: new ActiveInvocations(clock, owner),
    bulkheads: newBulkheads(clock),
    settings,
  };
  let stopping: AbortController | undefined;
  let working: Promise<void> = Promise.resolve();
  const ending = new AbortController();
  return {
    engine,
    process,
    log,
    meter,
    startWorker() {
      stopping = new AbortController();
      working = runWorker(engine, stopping.signal, { concurrencyMax: 100 });
    },
    startSchedules() {
      void runSchedules(engine, wakes, ending.signal);
    },
    async stopWorker() {
      stopping?.abort();
      await working;
    },
    die() {
      process.die();
      stopping?.abort();
      ending.abort();
    },
  };
}

/** @returns the settings of the stage, for engines that are set up elsewhere */
export function stageSettings(given: StageSettings = {}): EngineSettings {
  return settingsOf(given, undefined);
}

function settingsOf(given: StageSettings, soleOwner: string | undefined): EngineSettings {
  const {
    retry,
    abortTimeoutMs,
    inactivityTimeoutMs,
    journalRetentionMs,
    idempotencyRetentionMs,
    workflowRetentionMs,
    acceptanceWaitMs,
    slow,
    ...more
  } = given;
  const { services: _registered, deployed: _deployed, ...settings } = more;
  return {
    ...BASE_SETTINGS,
    messageSizeMaxBytes: 1 << 20,
    silentAfterMs: 60_000,
    clusterName: "stage",
    ...settings,
    ownership:
      soleOwner === undefined
        ? { ...SHARED, ...slow }
        : { kind: "sole", tokenPrefix: soleOwner, acceptanceWaitMs: acceptanceWaitMs ?? 0 },
    defaults: {
      abortTimeoutMs: abortTimeoutMs ?? 600_000,
      inactivityTimeoutMs: inactivityTimeoutMs ?? 60_000,
      journalRetentionMs: journalRetentionMs ?? 86_400_000,
      idempotencyRetentionMs: idempotencyRetentionMs ?? 86_400_000,
      workflowRetentionMs: workflowRetentionMs ?? 86_400_000,
      lazyState: false,
      public: true,
      retry: { ...RETRY, ...retry },
    },
  };
}

export function submission(handler: string, input = "", more: Partial<Submission> = {}): Submission {
  return { target: { service: "S", handler }, input: new TextEncoder().encode(input), headers: [], ...more };
}

/** Calls a handler of service `S`. */
export async function callOn(
  { engine }: Actor,
  handler: string,
  input = "",
  more: Partial<Submission> = {},
): Promise<Ended> {
  const ended = await call(engine, submission(handler, input, more));
  if (ended.kind !== "ended") throw new Error(`the call was refused: ${ended.kind}`);
  return ended;
}

/** Sends to a handler of service `S`. */
export async function sendOn(
  { engine }: Actor,
  handler: string,
  input = "",
  more: Partial<Submission> = {},
): Promise<Sent> {
  const sent = await send(engine, submission(handler, input, more));
  if (sent.kind !== "sent") throw new Error(`the send was refused: ${sent.kind}`);
  return sent;
}

/** The output as text, or the failure as its code and message. */
export function textOf({ result }: Pick<Ended, "result">): string {
  if (result.kind === "success") return new TextDecoder().decode(result.value);
  return `${result.failure.code} ${result.failure.message}`;
}
