/** The world of one run: the durable parts, the process that works on them and may die, and its successors. */
import { CronCalendar } from "../../../shared/adapters/calendar/cron-calendar.ts";
import { MemoryWakes, runSchedules } from "../../../shared/engine/schedules/run-schedules.ts";
import type { TableRole } from "../../../shared/config/table-rights.ts";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { register } from "../../../shared/engine/register/register.ts";
import { atFirst, writeProgress } from "../../../shared/engine/sweep/progress.ts";
import { runSweeper, sweepAll as orderedSweep } from "../../../shared/engine/sweep/sweep.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { expireItems } from "../../../shared/wiring/expire-items.ts";
import { startLoops } from "../../../shared/wiring/use-cases.ts";
import { tableWithinRights, type Refusals } from "../../harness/engine/table-within-rights.ts";
import { InProcessEndpoints } from "../in-process-endpoints.ts";
import { MemoryQueue } from "../memory-queue.ts";
import { MemoryTable } from "../memory-table.ts";
import { MemoryTimers } from "../memory-timers.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { CheckedTable } from "./checked-table.ts";
import { CLEANUP_MS, compose, type Parts } from "./compose.ts";
import { deployment, REGISTERED, streams } from "./deployments.ts";
import { Death, FaultyPorts } from "./faulty-ports.ts";
import {
  answered,
  Environments,
  orderedPass,
  runPasses,
  runScheduleWakes,
  runSlices,
  runWorkers,
  wakesOver,
} from "./functions.ts";
import { Ledger } from "./ledger.ts";
import type { Life } from "./life.ts";
import { skewBehind, type Strike } from "./point.ts";
import { endpointsOf, queueOf, tableOf, timersOf } from "./port-calls.ts";
import { slowedReads } from "./slowed-reads.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import { writeInto } from "./step.ts";

/**
 * `sole-owner`: one process owns the store, and its successor counts the leases of the dead process as over. `open-exchanges`:
 * the same, and the exchanges stay open. `shared-table`: the successor waits until the leases of the dead process run out.
 * `open-on-shared-table`: the same, and the exchanges stay open, as those of the functions on AWS do while handlers work.
 * `functions`: the table is shared, and requests, batches of messages and passes of the sweeper each have their own engine and time.
 */
export type Ownership = "sole-owner" | "open-exchanges" | "shared-table" | "open-on-shared-table" | "functions";

const isStreamed = (ownership: Ownership): boolean => ownership.startsWith("open-");
export const isShared = (ownership: Ownership): boolean =>
  ownership.endsWith("shared-table") || ownership === "functions";

/** The functions that take requests. */
export type RequestRole = "ingress" | "admin";

/** Plants a mistake, which a judge must detect, into the engine of a process. */
export type Sabotage = (engine: Engine, generation: number) => Engine;

export interface Running {
  /** Does the work of one request. @param role the function that the request is for, if the processes are functions */
  readonly request: <T>(work: (engine: Engine) => Promise<T>, role: RequestRole) => Promise<T>;
  /** A pass of the sweeper over everything, by an operator's order. */
  readonly sweepAll: () => Promise<void>;
  /** Rejects with the death of the process. */
  readonly death: Promise<never>;
}

/** The time from the death of a process to the start of the next one. */
const RESTART_MS = 500;
/** A message that was received this often becomes a dead letter. */
const RECEIVES_MAX = 4;

const registered = new Map<boolean, MemoryTable>();

/** The registry with the deployments of the scenarios, discovered once for each protocol mode. */
export async function registry(ownership: Ownership): Promise<MemoryTable> {
  const isStreaming = isStreamed(ownership);
  const known = registered.get(isStreaming);
  if (known !== undefined) return known;
  const meta = new MemoryTable();
  const world = new World({ ownership, meta, sabotage: undefined });
  // One engine registers all, because another one would draw the same ids.
  const engine = world.observer(meta);
  for (const one of REGISTERED) await register(engine, { ...one, force: false });
  registered.set(isStreaming, meta);
  return meta;
}

export interface Making {
  readonly ownership: Ownership;
  readonly meta: MemoryTable;
  readonly sabotage: Sabotage | undefined;
  readonly life?: Life | undefined;
}

export class World {
  readonly clock = new VirtualClock();
  readonly table = new CheckedTable(this.clock);
  /** The messages that were received again and again; only functions have such a queue. */
  readonly letters = new MemoryQueue(this.clock);
  readonly queue: MemoryQueue;
  /** The messages of the slices: each names a slice in place of an invocation. */
  readonly slices = new MemoryQueue(this.clock);
  /** The wakes of schedules: each names a schedule in place of an invocation. */
  readonly scheduleWakes = new MemoryQueue(this.clock);
  readonly timers: MemoryTimers;
  readonly ledger = new Ledger();
  /** What the engine of a function tried beyond the rights of its role. */
  readonly refusals: Refusals = new Set();
  /** Messages that come a day late. */
  readonly keptBack: Wake[] = [];
  /** The processes so far, the living one last. */
  readonly processes: FaultyPorts[] = [];
  readonly endpoints: InProcessEndpoints;
  readonly life: Life;
  readonly #ownership: Ownership;
  readonly #meta: MemoryTable;
  readonly #sabotage: Sabotage | undefined;
  readonly #arrivals = new Set<(running: Running) => void>();
  #running: Running | undefined;
  #downMs: number;
  /** The time in which no process was alive, beyond the half second of each restart. */
  spentDownMs = 0;

  constructor({ ownership, meta, sabotage, life = {} }: Making) {
    this.#ownership = ownership;
    const dead = { letters: this.letters, receivesMax: RECEIVES_MAX };
    this.queue = new MemoryQueue(this.clock, ownership === "functions" ? dead : undefined);
    this.timers = new MemoryTimers(this.clock, this.queue);
    this.endpoints = isStreamed(ownership)
      ? new InProcessEndpoints(deployment("streaming"), streams())
      : new InProcessEndpoints(deployment("lambda"));
    this.#meta = meta.fork();
    this.#sabotage = sabotage;
    this.life = life;
    this.#downMs = life.downMs ?? RESTART_MS;
    writeInto(this.ledger, (ms) => this.endpoints.rest(this.clock.sleep(ms)));
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
    const ports = new FaultyPorts(this.#around(skewMs), strikes[generation - 1], () => {
      this.#running = undefined;
      if (losesHints) for (const hints of [this.queue, this.timers, this.slices, this.scheduleWakes]) hints.clear();
      reject(new Death("the process died"));
      const downMs = this.#downMs;
      this.spentDownMs += downMs - RESTART_MS;
      this.#downMs = this.life.downMs ?? RESTART_MS;
      void this.clock.sleep(downMs).then(() => this.start(strikes));
    });
    this.processes.push(ports);
    if (this.life.vanishes === true) for (const { pk, sk } of this.table.expired()) void this.table.delete({ pk, sk });
    const running = { ...this.#run(ports, generation), death };
    this.#running = running;
    for (const arrived of this.#arrivals) arrived(running);
    this.#arrivals.clear();
  }

  /** Switches the process off. @returns when the next one has started, after this time */
  async off(ms: number): Promise<void> {
    await this.alive();
    this.#downMs = ms;
    this.processes.at(-1)!.die();
    await this.alive();
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
    return compose({ clock, table, meta, queue, timers, endpoints }, "observer", false);
  }

  #around(skewMs: number) {
    const { clock, table, life, keptBack } = this;
    return {
      clock,
      skewMs,
      keepBack: (wake: Wake) => void keptBack.push(wake),
      laggingIndex: table.indexAsItWas.bind(table),
      laggingMany: table.manyAsTheyWere.bind(table),
      expiredItems: () => (life.expires === true ? table.expired().length : 0),
      expire: (fault: string, number: number) => {
        for (const [at, { pk, sk }] of table.expired().entries())
          if ((at === number) === (fault === "item-expires")) void table.delete({ pk, sk });
      },
    };
  }

  #engine(owner: string, parts: Parts, generation: number): Engine {
    const sound = compose(parts, owner, !isShared(this.#ownership));
    return this.#sabotage?.(sound, generation) ?? sound;
  }

  /** The local process recovers the work of its predecessor; on a shared table there are only worker and sweeper. */
  #run(ports: FaultyPorts, generation: number): Omit<Running, "death"> {
    const clock = ports.clock();
    const parts: Parts = {
      clock,
      table: tableOf(ports, "table", this.table),
      meta: tableOf(ports, "meta", this.#meta),
      queue: queueOf(ports, this.queue),
      timers: timersOf(ports, this.timers),
      endpoints: endpointsOf(ports, this.endpoints),
    };
    if (this.#ownership === "functions") return this.#runFunctions(ports, parts, generation);
    const wakes = new MemoryWakes(clock);
    const schedules = { calendar: new CronCalendar(), wakes, intervalMinMs: 1_000 };
    const engine = this.#engine(`p${generation}`, { ...parts, schedules }, generation);
    const { signal } = new AbortController();
    if (isShared(this.#ownership)) {
      void runWorker(engine, signal, { concurrencyMax: 100 });
      void runSweeper(engine, signal);
      void runSchedules(engine, wakes, signal);
    } else {
      const expire = (until: AbortSignal) => this.#expire(engine, until);
      // No test of the crash points sets the virtual clock.
      const followClock = async () => {};
      const runs = (until: AbortSignal) => runSchedules(engine, wakes, until);
      startLoops({ engine, expire, followClock, runSchedules: runs }, { concurrencyMax: 100 });
    }
    const sweepAll = async (): Promise<void> => void (await orderedSweep(engine));
    return { request: (work) => work(engine), sweepAll };
  }

  #runFunctions(ports: FaultyPorts, parts: Parts, generation: number): Omit<Running, "death"> {
    const { lookMs, workedMs, worksFrom = 0 } = this.life;
    const slices = queueOf(ports, this.slices, "slices");
    const send = async (name: string): Promise<void> =>
      void (await slices.send({
        invocationId: name as Wake["invocationId"],
        sentAtMs: parts.clock.nowMs(),
        delayMs: 0,
      }));
    const wakes = queueOf(ports, this.scheduleWakes, "schedule-wakes");
    const schedules = { calendar: new CronCalendar(), wakes: wakesOver(wakes, parts.clock), intervalMinMs: 1_000 };
    const make = (role: TableRole, table = parts.table) => {
      const within = {
        table: tableWithinRights(table, role, this.refusals),
        meta: tableWithinRights(parts.meta, role, this.refusals),
      };
      return (name: string) =>
        this.#engine(`p${generation}${name}`, { ...parts, ...within, slices: { send }, schedules }, generation);
    };
    const requests = { ingress: new Environments("r", make("ingress")), admin: new Environments("a", make("admin")) };
    const workers = new Environments("w", make("worker"));
    const slowed = lookMs === undefined ? parts.table : slowedReads(parts.table, parts.clock, lookMs);
    const sweepers = new Environments("s", make("sweeper", slowed));
    const running = {
      request: <T>(work: (engine: Engine) => Promise<T>, role: RequestRole) => answered(requests[role], work),
    };
    if (generation <= worksFrom) return { ...running, sweepAll: () => orderedPass(sweepers) };
    void runWorkers(workers, parts.queue, workedMs);
    void runSlices(new Environments("l", make("worker")), slices);
    void runScheduleWakes(new Environments("c", make("worker")), wakes);
    void runPasses(sweepers, queueOf(ports, this.letters, "letters"), parts.clock);
    return { ...running, sweepAll: () => orderedPass(sweepers) };
  }

  /** Deletes expired items through the port, as the local process does. */
  async #expire(engine: Engine, signal: AbortSignal): Promise<void> {
    if (this.life.expires !== true) return;
    const sweepExpired = async (nowS: number, limit: number): Promise<number> => {
      const gone = this.table.expired().filter(({ expiresAtS }) => Number(expiresAtS) <= nowS);
      for (const { pk, sk } of gone.slice(0, limit))
        await engine.table.delete({ pk, sk }, { kind: "less", attribute: "expiresAtS", than: Math.floor(nowS) + 1 });
      return Math.min(gone.length, limit);
    };
    const { clock, log, activeInvocations } = engine;
    const table = { sweepExpired } as EmbeddedTable;
    await expireItems({ table, clock, log, activeInvocations, everyMs: CLEANUP_MS }, signal);
  }
}
