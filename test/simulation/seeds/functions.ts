/**
 * The processes of some wide seeds as functions, as on AWS: each does one piece of work at a time in a bounded time, and rests in
 * between. A queue of slices takes what a pass of the sweeper cannot finish, and a slow lane takes the messages of slow services.
 */
import type { TableRole } from "../../../shared/config/table-rights.ts";
import { LanedQueue, slowReceipt } from "../../../shared/adapters/sqs/laned-queue.ts";
import { sendSlowOn, workBatch } from "../../../shared/engine/consume/work-batch.ts";
import { withinTime } from "../../../shared/engine/consume/time-budget.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { StoppingError } from "../../../shared/engine/ingress/attach.ts";
import type { EngineSettings } from "../../../shared/engine/ports/engine-settings.ts";
import { ofSlowLane, type SharedStore } from "../../../shared/engine/ports/store-ownership.ts";
import type { Delivery, Queue, Wake, SliceQueue } from "../../../shared/engine/ports/queue.ts";
import type { Table } from "../../../shared/engine/ports/table.ts";
import { drainDeadLetters } from "../../../shared/engine/sweep/dead-letters.ts";
import { runSlice } from "../../../shared/engine/sweep/slices.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { tableWithinRights } from "../../harness/engine/table-within-rights.ts";
import { slowedReads } from "../crash-points/slowed-reads.ts";
import { MemoryQueue } from "../memory-queue.ts";
import type { Random } from "../random.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Fate } from "./fate.ts";
import { type Leap, SWEEP_INTERVAL_MS } from "./leap.ts";
import type { Mortal } from "./mortal.ts";
import { queueOf } from "./mortal-ports.ts";
import type { Running } from "./running.ts";

/** The share of wide seeds whose processes are functions, among those whose processes share a table. */
const SHARE = 0.4;
/** The time of a request; of a batch of messages or a slice; and the read of a sweeper, which may be so slow that slices are needed. */
const ANSWERED_MS = [1_500, 25_000];
const WORKED_MS = [1_500, 20_000];
const READ_MS = [0, 6_000, 12_000];
/** The walks get a part of a pass, and the dead letters the rest. */
const PASS_MS = 60_000;
const WALKED_MS = 45_000;
/** A function that has not answered this long after its time is up ends, with everything that it still does. */
const GRACE_MS = 5_000;
/** The reads of a sweeper that are under way when its time is up, or follow from these. */
const LAST_READS = 6;
const BATCH_MESSAGES = 10;
/** The functions that work on messages of one queue at the same time. */
const WORKERS_MAX = 4;
/** The time for which the queue hides a batch: longer than any batch takes. */
const HIDDEN_MS = 120_000;
const RECEIVE_MS = 20_000;
const SLOW_FROM_MS = 1_000;

export interface Times {
  readonly answeredMs: number;
  readonly workedMs: number;
  readonly readMs: number;
}

/** The durable parts of the world, and what a function needs of it. */
export interface Ground {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly leap: Leap;
  readonly fate: Pick<Fate, "note">;
  readonly queue: MemoryQueue;
  readonly letters: MemoryQueue;
  /** False while no sweeper runs yet. */
  readonly sweeps: boolean;
  /** Resolves once processes may run. */
  isOn(): Promise<void>;
  /** Starts a function, which does nothing by itself. */
  giveFunction(engineIn: (born: Pick<Running, "mortal" | "engine">) => Engine): Running;
  /** Called with what a process should not have done. */
  readonly onComplaint: (complaint: string) => void;
}

type Role = "answers" | "works" | "sweeps";
export type RequestedRole = Exclude<Role, "works">;

/** The function of AWS whose rights apply. Requests of callers and of operators reach the same function here. */
const RIGHTS_OF: Readonly<Record<Role, TableRole>> = { answers: "admin", works: "worker", sweeps: "sweeper" };

/** @returns undefined for a seed whose processes are not functions */
export function drawFunctions(random: Random): Times | undefined {
  if (!random.chance(SHARE)) return undefined;
  return { answeredMs: random.pick(ANSWERED_MS), workedMs: random.pick(WORKED_MS), readMs: random.pick(READ_MS) };
}

export class Functions {
  readonly #world: Ground;
  readonly #times: Times;
  readonly #slow: MemoryQueue;
  /** The messages of the slices: each names a slice in place of an invocation. */
  readonly #slices: MemoryQueue;
  readonly #idle: Readonly<Record<Role, Running[]>> = { answers: [], works: [], sweeps: [] };

  constructor(world: Ground, times: Times, dead: ConstructorParameters<typeof MemoryQueue>[1]) {
    this.#world = world;
    this.#times = times;
    this.#slow = new MemoryQueue(world.clock, dead);
    this.#slices = new MemoryQueue(world.clock);
  }

  start(): void {
    const { queue } = this.#world;
    void this.#eachBatch(queue, BATCH_MESSAGES, (engine, batch) => this.#work(engine, batch));
    void this.#eachBatch(this.#slow, BATCH_MESSAGES, ({ settings, ...engine }, batch) =>
      this.#work({ ...engine, settings: ofSlowLane(settings) }, batch.map(inSlowLane)),
    );
    void this.#eachBatch(this.#slices, 1, (engine, batch) => this.#runSlice(engine, batch));
    void this.#passes();
  }

  /** The messages that no process has taken yet, or that may come again. */
  waitingBy(atMs: number): readonly Wake[] {
    return [...this.#slow.waitingBy(atMs), ...this.#slices.waitingBy(atMs)];
  }

  /** Loses every message, as when only the table is restored. */
  clear(): void {
    this.#slow.clear();
    this.#slices.clear();
  }

  /**
   * @param role the function that gets the request: an operator orders a pass from the sweeper
   * @throws StoppingError if the function's time is over before the answer is there
   */
  async request<T>(work: (engine: Engine) => Promise<T>, role: RequestedRole): Promise<T> {
    try {
      return await this.#within(role, this.#times.answeredMs, work);
    } catch (error) {
      if (error instanceof StoppingError) this.#world.fate.note("time-is-up");
      throw error;
    }
  }

  /** Does the work in a function that has nothing to do, or in a new one, which may die meanwhile. */
  async #within<T>(role: Role, ms: number, work: (engine: Engine) => Promise<T>): Promise<T> {
    const running = this.#idleOne(role) ?? this.#world.giveFunction((born) => this.#engineFor(role, born));
    const { engine, mortal, death } = running;
    const { struck } = mortal;
    mortal.goOn();
    const answered = new AbortController();
    const graceMs = GRACE_MS + (role === "sweeps" ? LAST_READS * this.#times.readMs : 0);
    void this.#endInTime(mortal, ms + graceMs, answered.signal).then((hasEnded) => {
      // The try of a dead letter performs all effects of a segment, however slow the reads are.
      if (hasEnded && role !== "sweeps" && mortal.struck === struck)
        this.#world.onComplaint(`${mortal.name} goes on long after its time`);
    });
    try {
      return await Promise.race([withinTime(engine, engine.clock.nowMs() + ms, () => work(engine)), death]);
    } finally {
      answered.abort();
      mortal.rest();
      if (!mortal.isDead) this.#idle[role].push(running);
    }
  }

  /** A function may have ended while it rested. */
  #idleOne(role: Role): Running | undefined {
    for (let one = this.#idle[role].pop(); one !== undefined; one = this.#idle[role].pop())
      if (!one.mortal.isDead) return one;
    return undefined;
  }

  /** @returns whether it has ended the function */
  async #endInTime(mortal: Mortal, ms: number, answered: AbortSignal): Promise<boolean> {
    const { clock, fate } = this.#world;
    if (!(await clock.sleep(ms, answered)) || mortal.isDead) return false;
    fate.note("function-ended");
    mortal.die();
    return true;
  }

  #engineFor(role: Role, { engine, mortal }: { readonly engine: Engine; readonly mortal: Mortal }): Engine {
    const { random, leap, fate } = this.#world;
    const { registry, queue: main } = engine;
    const slow = queueOf(mortal, this.#slow, random, leap);
    const slices = slicesOf(queueOf(mortal, this.#slices, random, leap), engine, () => fate.note("handed-over"));
    const slowServices = role === "answers" ? "queue" : "slow-lane";
    const ownership: SharedStore = { kind: "shared", slowFromMs: SLOW_FROM_MS, slowServices };
    const settings: EngineSettings = { ...engine.settings, ownership };
    const isSlow = (service: string): boolean => {
      if (!registry.isSlow(service)) return false;
      fate.note("slow-lane");
      return true;
    };
    const queue = new LanedQueue({ main, slow, isSlow });
    return { ...engine, ...this.#tables(role, engine), queue, slices, settings };
  }

  /** A refusal is a complaint at once: the engine may catch the error. */
  #tables(role: Role, { table, meta }: Engine): Pick<Engine, "table" | "meta"> {
    const refusals = { add: (refusal: string) => this.#world.onComplaint(refusal) };
    const within = (one: Table): Table => tableWithinRights(one, RIGHTS_OF[role], refusals);
    return { table: within(table), meta: within(meta) };
  }

  /** The walks read slowly in some seeds, as they do over many invocations; the tries of dead letters do not. */
  #slowed(engine: Engine): Engine {
    const { readMs } = this.#times;
    return readMs === 0 ? engine : { ...engine, table: slowedReads(engine.table, engine.clock, readMs) };
  }

  async #eachBatch(
    queue: MemoryQueue,
    limit: number,
    work: (engine: Engine, batch: readonly Delivery[]) => Promise<void>,
  ): Promise<never> {
    const { leap } = this.#world;
    let working = 0;
    let free = (): void => {};
    for (;;) {
      const batch = await queue.receive(limit, HIDDEN_MS, leap.waitMs(RECEIVE_MS));
      if (batch.length === 0) continue;
      await this.#world.isOn();
      if (working === WORKERS_MAX) await new Promise<void>((resolve) => (free = resolve));
      working++;
      const done = this.#within("works", this.#times.workedMs, (engine) => work(engine, batch));
      void done
        .catch(() => undefined)
        .then(() => {
          working--;
          free();
        });
    }
  }

  async #work(engine: Engine, batch: readonly Delivery[]): Promise<void> {
    const { staying, failed } = await sendSlowOn(engine, batch);
    const comeAgain = [...failed, ...(await workBatch(engine, staying))];
    const done = batch.filter((delivery) => !comeAgain.includes(delivery));
    await Promise.all(done.map(({ receipt }) => engine.queue.ack(receipt).catch(() => undefined)));
  }

  /** A failed slice is not tried again here: the next pass sends its message again. */
  async #runSlice(engine: Engine, batch: readonly Delivery[]): Promise<void> {
    for (const { wake, receipt } of batch) {
      await runSlice(engine, wake.invocationId).catch(() => undefined);
      await this.#slices.ack(receipt);
    }
  }

  async #passes(): Promise<never> {
    const { clock, leap, letters } = this.#world;
    for (const pauses = leap.clockOf(clock); ;) {
      await pauses.sleep(SWEEP_INTERVAL_MS);
      if (!this.#world.sweeps) continue;
      await this.#world.isOn();
      await this.#within("sweeps", PASS_MS, async (engine) => {
        const nowMs = engine.clock.nowMs();
        await sweepOnce(this.#slowed(engine), nowMs + WALKED_MS);
        await drainDeadLetters(engine, letters, nowMs + PASS_MS);
      }).catch(() => undefined);
    }
  }
}

function inSlowLane(delivery: Delivery): Delivery {
  return { ...delivery, receipt: slowReceipt(delivery.receipt) };
}

function slicesOf(queue: Queue, { clock }: Engine, onSend: () => void): SliceQueue {
  return {
    async send(name) {
      onSend();
      await queue.send({ invocationId: name as Wake["invocationId"], sentAtMs: clock.nowMs(), delayMs: 0 });
    },
  };
}
