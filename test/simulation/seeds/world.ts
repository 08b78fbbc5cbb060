/** The world of one seed: durable parts that survive, and the processes on them, which come and go. */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { beginLife } from "../../../shared/engine/sweep/begin-life.ts";
import { noteListing, recover } from "../../../shared/engine/sweep/sweep.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { InProcessEndpoints } from "../in-process-endpoints.ts";
import type { MemoryTable } from "../memory-table.ts";
import { MemoryQueue } from "../memory-queue.ts";
import { MemoryTimers } from "../memory-timers.ts";
import { VirtualClock } from "../virtual-clock.ts";
import type { Players } from "./players.ts";
import { compose, LEASE_MS } from "./compose.ts";
import { type Fault, Fate } from "./fate.ts";
import { Functions, type RequestedRole, type Times } from "./functions.ts";
import { LaggingIndexes } from "./faults/lagging-indexes.ts";
import { onFullDisk } from "./faults/full-disk.ts";
import { drawHardships, type Hardships } from "./hardships.ts";
import { Leap } from "./leap.ts";
import { Death, Mortal } from "./mortal.ts";
import { endpointsOf, queueOf, tableOf, timersOf } from "./mortal-ports.ts";
import { Outside } from "./outside.ts";
import { expireBeside } from "./own-expiry.ts";
import { Poison, POISON_SHARE } from "./poison.ts";
import type { Random } from "../random.ts";
import type { Running, Sabotage } from "./running.ts";
import { Skew, skewed } from "./skew.ts";
import { sweepApart, sweepBeside } from "./sweeper.ts";
import { throttledTable, throttledTimers, Throttling } from "./throttling.ts";
import { WatchedTable } from "./watched-table.ts";

/** A fault that a test forces on each of its seeds. Other seeds have the fault with the probability in the fault's own file. */
export type Bound = "throttled" | "skewed" | "poisoned" | "rested";

export interface Making {
  readonly random: Random;
  readonly players: Players;
  readonly trace: (line: string) => void;
  readonly sabotage?: Sabotage | undefined;
  readonly bound?: Bound | undefined;
  /** The draws of the hardships of a wide seed, apart from the other draws; absent in other seeds. */
  readonly wide?: Random | undefined;
  /** The times of the functions, if the seed has functions and its processes share a table. */
  readonly functions?: Times | undefined;
  /** Whether an invocation is poisoned, if the seed is wide and one process owns the store alone. */
  readonly isDeadly?: boolean;
}

const RESTART_MAX_MS = 3_000;
/** The share of seeds with a separate sweeper, among seeds with a shared table, no poisoned invocation and no forced fault. */
const APART_SHARE = 0.5;
/** The receives after which a message becomes a dead letter: fewer than on AWS, so that an outage of seconds suffices. */
const RECEIVES_MAX = [1, 4];

export class World {
  readonly clock = new VirtualClock();
  readonly table = new WatchedTable();
  readonly letters = new MemoryQueue(this.clock);
  readonly queue: MemoryQueue;
  readonly timers: MemoryTimers;
  readonly outside = new Outside();
  readonly endpoints: InProcessEndpoints;
  readonly fate: Fate;
  readonly random: Random;
  /** True if one process owns the store alone, as its settings state; otherwise several processes share the store. */
  readonly ownsStore: boolean;
  readonly leap: Leap;
  readonly skew: Skew;
  /** Undefined if no invocation is poisoned in this seed. */
  readonly poison: Poison | undefined;
  readonly #throttling: Throttling;
  readonly #isApart: boolean;
  /** Undefined unless the processes of the seed are functions. */
  readonly functions: Functions | undefined;
  readonly trace: (line: string) => void;
  /** Undefined unless the seed is wide. */
  readonly hardships: Hardships | undefined;
  readonly meta: MemoryTable;
  /** Called with each item of the sole owner's table that is deleted because it has expired. */
  onExpired: (item: Item) => void = () => {};
  /** Called with what a process should not have done. */
  onComplaint: (complaint: string) => void = () => {};
  /** For how long all processes stay away after the next death; undefined if the next one begins soon. */
  offAtDeathMs: number | undefined;
  /** False while no sweeper runs yet. */
  sweeps: boolean;
  #offUntilMs = 0;
  readonly #sabotage: Sabotage | undefined;
  readonly #running = new Set<Running>();
  readonly #waiting = new Set<(running: Running) => void>();
  readonly #seed: number;
  #births = 0;

  constructor({ random, players, trace, sabotage, bound, wide, functions, isDeadly }: Making) {
    this.random = random;
    this.trace = (line) => trace(`${this.clock.nowMs() % 10_000_000} ${line}`);
    this.#seed = random.between(0, 2 ** 31);
    this.fate = new Fate(random);
    this.ownsStore = random.chance(bound === "poisoned" ? 0 : 0.3);
    this.hardships = wide && drawHardships(wide, this.ownsStore);
    const isDrawn = !this.ownsStore && random.chance(bound === "poisoned" ? 1 : POISON_SHARE);
    const isPoisoned = isDrawn && wide === undefined;
    const isSuspect = isDeadly === true && this.ownsStore && wide !== undefined;
    this.poison = isPoisoned || isSuspect ? new Poison(random, () => this.fate.note("poisoned")) : undefined;
    const isApart = isPoisoned || (!this.ownsStore && random.chance(bound === undefined ? APART_SHARE : 1));
    const areFunctions = functions !== undefined && !this.ownsStore;
    this.#isApart = isApart || areFunctions;
    const dead = { letters: this.letters, receivesMax: random.pick(RECEIVES_MAX) };
    this.queue = new MemoryQueue(this.clock, this.#isApart ? dead : undefined);
    this.timers = new MemoryTimers(this.clock, this.queue);
    this.leap = new Leap(this.clock);
    this.functions = areFunctions ? new Functions(this, functions, dead) : undefined;
    this.#throttling = new Throttling(random, bound === "throttled", (what) => this.fate.note(what));
    this.skew = new Skew(random, bound === "skewed", () => this.fate.note("skewed-clock"));
    this.endpoints = new InProcessEndpoints(players.deployment(this.outside), players.streams?.());
    this.meta = players.meta.fork();
    this.#sabotage = sabotage;
    this.sweeps = this.hardships?.isSweeperLate !== true;
    if (wide !== undefined && this.hardships?.lags === true)
      this.table.indexes = new LaggingIndexes(this.clock, wide, () => this.fate.note("index-late"));
  }

  start(): void {
    if (this.functions !== undefined) return this.functions.start();
    const processes = this.ownsStore ? 1 : this.random.between(2, 3);
    for (let n = 0; n < processes; n++) this.#give(this.#isApart ? "serves" : "everything", this.skew.next());
    if (this.#isApart) this.#give("sweeps", this.skew.next());
  }

  /** Does the work of one request in a living process. @throws Death if the process dies meanwhile */
  async request<T>(work: (engine: Engine) => Promise<T>, role: RequestedRole = "answers"): Promise<T> {
    if (this.functions !== undefined) {
      await this.isOn();
      return await this.functions.request(work, role);
    }
    const { engine, death } = await this.#alive();
    return await Promise.race([work(engine), death]);
  }

  /** @returns a living process that takes requests; if there is none, the next one that starts */
  #alive(): Promise<Running> {
    const serving = [...this.#running].filter(({ serves }) => serves);
    if (serving.length > 0) return Promise.resolve(this.random.pick(serving));
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  get running(): ReadonlySet<Running> {
    return this.#running;
  }

  /** True if a message of the invocation is in a queue, or is being worked on. */
  hasMessage(id: InvocationId): boolean {
    const queues = [this.queue, this.letters, ...(this.functions === undefined ? [] : [this.functions])];
    return queues.some((queue) => queue.waitingBy(Infinity).some(({ invocationId }) => invocationId === id));
  }

  engineOf(mortal: Mortal): Engine | undefined {
    for (const running of this.#running) if (running.mortal === mortal) return running.engine;
    return undefined;
  }

  /** Resolves once processes may run. */
  async isOn(): Promise<void> {
    while (this.clock.nowMs() < this.#offUntilMs) await this.clock.sleep(this.#offUntilMs - this.clock.nowMs());
  }

  /** Ends all processes. No other begins before the given time has passed. */
  switchOff(forMs: number): void {
    const { clock, leap } = this;
    this.#offUntilMs = clock.nowMs() + forMs;
    leap.skip(forMs);
    for (const { mortal } of this.#running) mortal.die();
  }

  /** An engine on the durable parts without faults; its calls belong to no process. */
  observer(): Engine {
    const { clock, table, queue, timers, endpoints } = this;
    return compose({ clock, table, meta: this.meta, queue, timers, endpoints }, "observer", "observer", false);
  }

  /** Starts a function, which does nothing by itself. No other takes its place when it dies. */
  giveFunction(engineIn: (born: Pick<Running, "mortal" | "engine">) => Engine): Running {
    return this.#born("one-thing", this.skew.next(), () => {}, engineIn);
  }

  #born(
    does: Running["does"],
    skewMs: number,
    onDeath: () => void,
    engineIn = ({ engine }: Pick<Running, "mortal" | "engine">): Engine => engine,
  ): Running {
    const name = `m${++this.#births}`;
    const { clock, random, fate, ownsStore, trace } = this;
    let reject: (death: Death) => void = () => {};
    const death = new Promise<never>((_, refuse) => (reject = refuse));
    death.catch(() => undefined);
    const around = { clock, random, fate, leaseMs: LEASE_MS, ownsStore, trace };
    const mortal = new Mortal(name, around, () => {
      this.#running.delete(running);
      reject(new Death("the process died"));
      const offMs = this.offAtDeathMs;
      this.offAtDeathMs = undefined;
      if (offMs !== undefined) this.switchOff(offMs);
      onDeath();
    });
    const sound = engineIn({ engine: this.#engine(mortal, skewMs), mortal });
    const engine = this.#sabotage?.(sound) ?? sound;
    const running: Running = { mortal, engine, death, does, serves: false };
    this.#running.add(running);
    return running;
  }

  /** @param skewMs how far the clock of the machine is off; the machine outlives the process */
  #give(does: Exclude<Running["does"], "one-thing">, skewMs: number): void {
    const { random } = this;
    const running = this.#born(does, skewMs, () => {
      void this.#restarts(random.between(1, RESTART_MAX_MS)).then(() => this.#give(does, skewMs));
    });
    // The sole owner tries the invocations that its predecessor may have died of.
    if (this.ownsStore && this.hardships !== undefined)
      void this.#beginsAlone(running).catch(() => running.mortal.die());
    else {
      this.#serve(running);
      this.#run(running);
    }
  }

  /** As the local process does: it takes requests before it has found out which invocations its predecessor may have died of. */
  async #beginsAlone(running: Running): Promise<void> {
    await noteListing(running.engine);
    this.#serve(running);
    await beginLife(running.engine);
    this.#run(running);
  }

  #serve(running: Running): void {
    running.serves = running.does !== "sweeps";
    if (!running.serves) return;
    for (const arrived of this.#waiting) arrived(running);
    this.#waiting.clear();
  }

  /** Begins the loops of a process. */
  #run({ engine, mortal, does }: Running): void {
    const { clock, random } = this;
    const { signal } = new AbortController();
    if (does === "sweeps" && !this.sweeps) return;
    if (does === "sweeps") return void sweepApart(engine, queueOf(mortal, this.letters, random, this.leap), this.leap);
    void runWorker(engine, signal, { concurrencyMax: 100 });
    if (does === "everything" && this.sweeps) sweepBeside(engine, this.leap, signal);
    if (this.ownsStore) recover(engine).catch(() => undefined);
    if (this.ownsStore && this.hardships !== undefined)
      expireBeside(engine, mortal, {
        table: this.table,
        leap: this.leap,
        isFull: () => clock.nowMs() < this.#fullUntilMs,
        onExpired: (item) => this.onExpired(item),
      });
  }

  async #restarts(afterMs: number): Promise<void> {
    await this.clock.sleep(afterMs);
    await this.isOn();
  }

  /** When the disk has room again after the last time that the machine was off. */
  get #fullUntilMs(): number {
    return this.#offUntilMs === 0 ? 0 : this.#offUntilMs + (this.hardships?.fullDiskMs ?? 0);
  }

  #noteOn(mortal: Mortal, fault: Fault): void {
    mortal.struck++;
    this.fate.note(fault);
  }

  #engine(mortal: Mortal, skewMs: number): Engine {
    const clock = skewed(mortal.clock(), skewMs);
    const sound = tableOf(mortal, this.table, this.hardships?.indexFaults);
    const fullUntilMs = this.#fullUntilMs;
    const stored =
      clock.nowMs() < fullUntilMs
        ? onFullDisk(sound, clock, fullUntilMs, () => this.#noteOn(mortal, "full-disk"))
        : sound;
    const throttled = throttledTable(stored, this.#throttling, mortal, (key) => this.table.shown(key));
    const { poison } = this;
    const endpoints = endpointsOf(mortal, this.endpoints, this.random);
    const parts = {
      clock,
      table: poison === undefined || this.ownsStore ? throttled : poison.around(throttled, mortal),
      meta: this.meta,
      queue: queueOf(mortal, this.queue, this.random, this.leap),
      timers: throttledTimers(timersOf(mortal, this.timers), this.#throttling, mortal),
      endpoints: poison !== undefined && this.ownsStore ? poison.inAttempts(endpoints, mortal) : endpoints,
    };
    return compose(parts, `${this.#seed}.${mortal.name}`, mortal.name, this.ownsStore);
  }
}
