/**
 * A few invocations of one pool, and the workers that drive them, over one table. The search decides which call takes effect next, which
 * worker dies, and when time passes; the code under it is that of the engine.
 */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Endpoints } from "../../../shared/engine/ports/endpoints.ts";
import type { IdSource } from "../../../shared/engine/ports/id-source.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { consumeWake } from "../../../shared/engine/consume/consume-wake.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import { noteListing, recover, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { applyRules, removeRules } from "../../../shared/engine/register/rules.ts";
import { lookAtOneHolder } from "../../../shared/engine/limits/look-at-holder.ts";
import { enterIfRuled } from "../../../shared/engine/limits/pools.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { deployment, service } from "../../core/registry/sample-deployment.ts";
import { submission } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { ScriptedDeployment } from "../../harness/engine/scripted-deployment.ts";
import { compose } from "../crash-points/compose.ts";
import { MemoryTable } from "../memory-table.ts";
import { never } from "../never.ts";
import { SeededIdSource } from "../seeded-id-source.ts";
import { START_MS } from "../virtual-clock.ts";
import { Limits, namedIn, type Rule, type Start } from "./limits.ts";
import { isWrite, scheduledTable, type Waiting } from "./scheduled-table.ts";

/** Shorter than a lease. */
const SLEEP_MS = 5_000;
const TICK_MS = SLEEP_MS + 1;
/** No order of a plan has as many calls. */
const STEPS_MAX = 1_000;
const PATTERN = "service:S";
const RATE = { count: 1, perMs: 3_600_000, burst: 1 };

const HANDLERS = ["ends", "sleeps", "fails", "wavers"] as const;

export interface Plan {
  /** The handler of each invocation: `ends` at once, `sleeps` first, or fails in the first (`fails`) or the second (`wavers`) attempt. */
  readonly lives: readonly (typeof HANDLERS)[number][];
  readonly places: Rule;
  /** The changes of the rule in their order. The search makes each of them at any moment. */
  readonly changes?: readonly Rule[];
  /** If true, the rule has a rate instead: one start an hour. */
  readonly isRate?: boolean;
  /** How many workers may die, leases run out, short times pass, kills come, and drivers renew their leases. */
  readonly deaths?: number;
  readonly leases?: number;
  readonly ticks?: number;
  readonly kills?: number;
  readonly renewals?: number;
  /** If true, all workers are drivers of one process that owns the table. A death is that of the process, and the next one starts at once. */
  readonly isSole?: boolean;
  /** Plants a mistake into the engine of each worker. `world` is the same object for all workers that work at one order. */
  readonly sabotage?: (engine: Engine, world: object) => Engine;
}

interface Message {
  readonly wake: Wake;
  readonly dueMs: number;
}

export interface Worker {
  readonly name: string;
  readonly of: number;
  /** The message that comes again if the worker dies. */
  readonly wake: Wake | undefined;
  readonly waiting: Waiting[];
  readonly engine: Engine;
  readonly start: Start;
  /** The workers with an attempt under way when this one began. */
  readonly beside: readonly Worker[];
  /** What the worker has seen so far, as a text that is the same for the same answers. */
  seen: string;
  hasAsked: boolean;
  /** Its run and the renewals that are under way. */
  tasks: number;
  isOver: boolean;
  isDead: boolean;
}

/** A broken rule. */
export class Broken extends Error {}

export class World {
  readonly plan: Plan;
  readonly table: MemoryTable;
  readonly meta: MemoryTable;
  readonly ids: readonly InvocationId[];
  readonly workers: Worker[] = [];
  readonly left: Record<"deaths" | "leases" | "ticks" | "kills" | "changes" | "renewals", number>;
  readonly limits: Limits;
  messages: Message[];
  nowMs: number;
  #steps = 0;
  #born = new Map<number, number>();
  readonly #leaseMs: number;
  /** The invocations that have begun. */
  readonly begun = new Set<number>();
  /** How many attempts the invocations that fail have made. */
  readonly attempts = new Map<string, number>();
  /** Looks of the sweeper that were needed. */
  looks = 0;
  /** The process that owns the table. */
  #owner: Engine | undefined;
  #owners = 0;
  /** A complaint about an attempt that has just begun. */
  #wrong: string | undefined;

  private constructor(plan: Plan, begun?: World) {
    this.plan = plan;
    const { deaths = 0, leases = 0, ticks = 0, kills = 0, changes = [], renewals = 0 } = plan;
    this.left = { deaths, leases, ticks, kills, changes: changes.length, renewals };
    this.limits = new Limits(plan.places);
    this.table = begun?.table.fork() ?? new MemoryTable();
    this.meta = begun?.meta.fork() ?? new MemoryTable();
    this.ids = begun?.ids ?? [];
    this.messages = begun?.messages ?? [];
    this.nowMs = begun?.nowMs ?? START_MS;
    if (plan.isSole === true) this.#owner = this.#nextOwner();
    this.#leaseMs = this.#engine("door", this.table).settings.leaseMs;
  }

  /** A world in which all invocations are accepted, and no worker runs yet. */
  static async of(plan: Plan): Promise<World> {
    const world = new World(plan);
    const engine = world.#engine("door", world.table);
    await writeDeployment(world.meta, "", deployment(1, [service("S", [...HANDLERS])]), 0);
    // With a rule of any kind, a renewal asks for the rules.
    await applyRules(engine, [{ pattern: "service:Other", limits: { concurrency: 1 } }]);
    if (plan.isRate === true) await applyRules(engine, [{ pattern: PATTERN, limits: { rate: RATE } }]);
    else await setRule(engine, plan.places);
    if (world.#owner !== undefined) await noteListing(world.#owner);
    const ids: InvocationId[] = [];
    for (const handler of plan.lives) {
      const sent = await send(engine, submission(handler));
      if (sent.kind !== "sent") throw new Error(sent.kind);
      ids.push(sent.invocationId);
      world.nowMs++;
    }
    return Object.assign(world, { ids });
  }

  /** The same world once more. */
  again(): World {
    return new World(this.plan, this);
  }

  #nextOwner(): Engine {
    const engine = this.#engine(`owner-${++this.#owners}`, this.table, { isSole: true });
    // A handler that sleeps suspends at once: a wait on an open exchange would last until the clock ends it.
    return { ...engine, settings: { ...engine.settings, openWaitMs: 0 } };
  }

  /** The engine of a worker: a process of its own, or a driver with the memory of the process that owns the table. */
  #engineOf(name: string, waiting: Waiting[], onAttempt: () => void, onRules: () => void): Engine {
    const table = scheduledTable(this.table, waiting);
    if (this.#owner === undefined)
      return this.#engine(name, table, { endpoints: this.#endpoints(onAttempt), meta: watched(this.meta, onRules) });
    const registry = watched(this.#owner.registry, onRules);
    return {
      ...this.#owner,
      table,
      registry,
      endpoints: this.#endpoints(onAttempt),
      ids: luckless(name),
    };
  }

  #engine(
    name: string,
    table: Engine["table"],
    { endpoints = this.#endpoints(() => {}), meta = this.meta as Engine["meta"], isSole = false } = {},
  ): Engine {
    const clock: Clock = { nowMs: () => this.nowMs, sleep: () => never() };
    const queue = {
      send: async (wake: Wake) => (this.#send(wake, this.nowMs + wake.delayMs), ""),
      recall: async () => {},
    } as unknown as Engine["queue"];
    const timers = {
      at: async ({ invocationId, wakeAtMs }: { invocationId: InvocationId; wakeAtMs: number }) => {
        this.#send({ invocationId, sentAtMs: this.nowMs, delayMs: 0, wakeAtMs }, wakeAtMs);
      },
      cancel: async () => {},
    } as unknown as Engine["timers"];
    return compose({ clock, table, meta, queue, timers, endpoints }, name, isSole);
  }

  #endpoints(onAttempt: () => void): Endpoints {
    const sleeps: Handler = async (ctx) => (await ctx.get(ctx.sleep(START_MS + SLEEP_MS)), "slept");
    const failing = (which: number): Handler => {
      return (ctx) => {
        const of = ctx.journal.start.debugId;
        const number = (this.attempts.get(of) ?? 0) + 1;
        this.attempts.set(of, number);
        if (number === which) throw new Error("not this time");
        return "done";
      };
    };
    const scripted = new ScriptedDeployment({ ends: () => "done", sleeps, fails: failing(1), wavers: failing(2) });
    return { open: (request) => (onAttempt(), scripted.open(request)) };
  }

  get due(): readonly Message[] {
    return this.messages.filter(({ dueMs }) => dueMs <= this.nowMs);
  }

  get alive(): readonly Worker[] {
    return this.workers.filter(({ isOver, isDead }) => !isOver && !isDead);
  }

  take(message: Message): void {
    this.messages = this.messages.filter((one) => one !== message);
    this.#work(this.ids.indexOf(message.wake.invocationId), message.wake, (engine) =>
      consumeWake(engine, message.wake),
    );
  }

  kill(of: number): void {
    this.left.kills--;
    this.#work(of, undefined, (engine) => kill(engine, this.ids[of]!));
  }

  /** The next change of the rule. */
  change(): void {
    const { changes = [] } = this.plan;
    const rule = changes[changes.length - this.left.changes--]!;
    const start = this.#startNow();
    this.limits.set(rule);
    this.#work(this.ids.length, undefined, (engine) => setRule(engine, rule), start);
  }

  get mayRenew(): readonly Worker[] {
    return this.alive.filter(({ engine }) =>
      [...engine.activeInvocations.all()].some(({ places }) => places.stretch !== undefined),
    );
  }

  renew(worker: Worker): void {
    this.left.renewals--;
    for (const active of worker.engine.activeInvocations.all()) {
      const entered = enterIfRuled(worker.engine, active);
      if (entered !== undefined) this.#follow(worker, entered);
    }
  }

  #startNow(): Start {
    const changing = this.alive.filter(({ of }) => of === this.ids.length);
    const [all, some] = [this.alive, changing].map((workers) => workers.map(({ start }) => start));
    return this.limits.startOf(all!, some!, namedIn(this.table));
  }

  #work(of: number, wake: Wake | undefined, run: (engine: Engine) => Promise<unknown>, start = this.#startNow()): void {
    const number = (this.#born.get(of) ?? 0) + 1;
    this.#born.set(of, number);
    const waiting: Waiting[] = [];
    const name = of === this.ids.length ? `rules-${number}` : `w${of}-${number}`;
    const onAttempt = (): void => {
      worker.hasAsked = true;
      this.begun.add(of);
      this.#judgeBeside(worker);
    };
    const onRules = (): void => {
      worker.seen += `rules${this.left.changes}`;
    };
    const right = this.#engineOf(name, waiting, onAttempt, onRules);
    const engine = this.plan.sabotage?.(right, this) ?? right;
    const beside = this.alive.filter(({ hasAsked }) => hasAsked);
    const ends = { seen: "", hasAsked: false, tasks: 0, isOver: false, isDead: false };
    const worker: Worker = { name, of, wake, waiting, engine, start, beside, ...ends };
    this.workers.push(worker);
    this.#follow(worker, run(engine));
  }

  #follow(worker: Worker, task: Promise<unknown>): void {
    worker.tasks++;
    task.then(
      () => (worker.isOver = --worker.tasks === 0),
      (error: unknown) => {
        worker.isOver = true;
        worker.seen += `threw ${String(error)}`;
        this.#again(worker);
      },
    );
  }

  #again({ wake }: Worker): void {
    // The queue of a sole owner is part of it, and the next process delivers at once what the one before has not ended.
    if (wake !== undefined) this.#send(wake, this.nowMs + (this.#owner === undefined ? this.#leaseMs : 0));
  }

  #send(wake: Wake, dueMs: number): void {
    this.messages = [...this.messages, { wake, dueMs }];
  }

  async step(worker: Worker): Promise<void> {
    if (++this.#steps > STEPS_MAX) throw new Broken("the calls do not end");
    const call = worker.waiting.shift()!;
    const before = isWrite(call) ? namedIn(this.table) : undefined;
    const answer = await call.pass();
    if (before !== undefined) this.#judgeStart(worker, before);
    worker.seen = String(hashOf(`${worker.seen}${call.method}${textOf(answer)}`));
    if (this.plan.isRate !== true) this.#judge(worker, call, answer);
    await this.settle();
    if (this.#wrong !== undefined) throw new Broken(this.#wrong);
    const most = 1 + Math.floor((this.nowMs - START_MS) / RATE.perMs);
    if (this.plan.isRate === true && this.begun.size > most)
      throw new Broken(`${this.begun.size} have begun, not ${most}`);
  }

  /** One that runs already when the rule is made takes a place in any case. */
  #judgeStart(worker: Worker, before: ReadonlySet<string>): void {
    const named = namedIn(this.table);
    for (const { start } of this.alive) for (const life of start.kept) if (!named.has(life)) start.kept.delete(life);
    const { activeInvocations } = this.#owner ?? worker.engine;
    const running = [...activeInvocations.all()].filter(({ places }) => places.stretch !== undefined);
    for (const life of named) {
      if (before.has(life) || running.some(({ id }) => life.startsWith(id))) continue;
      const wrong = this.limits.complaint(worker.start, named, life);
      if (wrong !== undefined) throw new Broken(`${worker.name} lets ${life} begin: ${wrong}`);
    }
  }

  /** A sole owner counts all that run: the process that changes the rules has them in memory. */
  #judgeBeside({ name, of, start, beside }: Worker): void {
    // One that was handed a place by a driver with a former rule begins later.
    const hadPlace = [...start.kept].some((life) => life.startsWith(this.ids[of]!));
    if (this.#owner === undefined || hadPlace) return;
    const run = beside.filter((one) => one.of !== of && one.hasAsked && !one.isDead && !this.#hasEnded(one.of));
    const most = this.limits.mostSince(start.settled);
    if (run.length >= most) this.#wrong = `the attempt of ${name} begins beside ${run.length}, and ${most} may run`;
  }

  /** A kill may end an invocation while its attempt is under way. */
  #hasEnded(of: number): boolean {
    return this.table.all().some(({ pk, end }) => end === true && pk.includes(this.ids[of]!));
  }

  /** An attempt counts only once its segment is stored: then a place must name its invocation, if there was a rule all the time. */
  #judge(worker: Worker, { method, args }: Waiting, answer: unknown): void {
    if (!worker.hasAsked || method !== "put" || (answer as { written?: boolean }).written !== true) return;
    const { pk, sk } = args[0] as { pk: string; sk: string };
    if (!sk.startsWith("seg")) return;
    worker.hasAsked = false;
    const id = this.ids[worker.of]!;
    if (!pk.includes(id) || this.limits.hadNone(worker.start)) return;
    if (![...namedIn(this.table)].some((life) => life.startsWith(id)))
      throw new Broken(`the attempt of ${worker.name} counts, and no place names it`);
  }

  die(worker: Worker): void {
    this.left.deaths--;
    this.#fall(worker);
  }

  /** The whole process dies. The next one starts, and its recovery takes effect at once, because it only reads and sends messages. */
  async dieWhole(): Promise<void> {
    this.left.deaths--;
    for (const worker of this.alive) this.#fall(worker);
    this.#owner = this.#nextOwner();
    await recover(this.#owner);
  }

  tick(): void {
    this.left.ticks--;
    this.nowMs += TICK_MS;
  }

  lease(): void {
    this.left.leases--;
    this.nowMs += this.#leaseMs + 1;
    // The queue delivers the message of a worker that stands still once more.
    for (const { wake } of this.alive) if (wake !== undefined) this.#send(wake, this.nowMs);
  }

  /** Lets the workers run until each waits for the table, or is over. */
  async settle(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.alive.every(({ waiting }) => waiting.length > 0)) return;
    }
    // A driver of a sole owner may wait for another driver.
    if (this.#owner !== undefined) return;
    // The clock alone would wake these.
    for (const worker of this.alive.filter(({ waiting }) => waiting.length === 0)) this.#fall(worker);
  }

  #fall(worker: Worker): void {
    worker.isDead = true;
    this.#again(worker);
  }

  turns(): readonly string[] {
    return this.table.all().flatMap(({ sk }) => (sk.startsWith("turn#") ? [sk] : []));
  }

  /** What is left of an unfinished world is the same as in another one with this text. */
  key(): string {
    const workers = this.workers.map(({ name, seen, isOver, isDead, waiting, start }) =>
      isOver || isDead ? `${name}-` : `${name}:${seen}:${waiting.length}:${this.limits.textOf(start)}`,
    );
    const memory = [...(this.#owner?.activeInvocations.all() ?? [])].map(({ id, places, lease }) =>
      textOf([id, places.all, places.stretch !== undefined, places.mayHaveMore, lease.waitsAt, lease.isLost]),
    );
    const messages = this.messages.map(({ wake, dueMs }) => `${this.ids.indexOf(wake.invocationId)}@${dueMs}`).sort();
    const items = this.table.all().map(textOf).sort();
    return String(
      hashOf(
        [...workers.sort(), ...memory.sort(), ...messages, ...items, this.nowMs, JSON.stringify(this.left)].join("\n"),
      ),
    );
  }

  /** Runs all that is left, without a further choice: messages when they are due, then looks of the sweeper. */
  async finish(looksMax: number): Promise<void> {
    for (let round = 0; round < 200; round++) {
      for (let worker = this.#next; worker !== undefined; worker = this.#next) await this.step(worker);
      const [next] = this.messages.toSorted((a, b) => a.dueMs - b.dueMs);
      if (next !== undefined) {
        this.nowMs = Math.max(this.nowMs, next.dueMs);
        this.take(next);
        await this.settle();
      } else if (!(await this.#hasOpen())) return await this.#judgeEnd();
      else if (this.looks++ >= looksMax) throw new Broken(`an invocation waits after ${looksMax} looks`);
      else await this.#look();
    }
    throw new Broken("the messages do not end");
  }

  get #next(): Worker | undefined {
    return this.alive.find(({ waiting }) => waiting.length > 0);
  }

  async #hasOpen(): Promise<boolean> {
    const engine = this.#engine("judge", this.table);
    const { load } = await import("../../../shared/engine/store/load.ts");
    const all = await Promise.all(this.ids.map((id) => load(engine, id)));
    return all.some((loaded) => loaded !== undefined && loaded.invocation.phase.status !== "completed");
  }

  async #look(): Promise<void> {
    const engine = this.#owner ?? this.#engine(`sweeper${this.looks}`, this.table);
    this.nowMs += engine.settings.checkIntervalMs + 1;
    await sweepOnce(engine);
  }

  /** The names of a rule that was deleted count again when it is made anew: those who come to the pool look at them. */
  async #lookAtNames(): Promise<void> {
    const now = this.limits.mostSince(this.plan.changes?.length ?? 0);
    if (this.limits.mostSince(0) < Infinity || now === Infinity) return;
    const engine = this.#owner ?? this.#engine("looker", this.table);
    // The lease of one that has ended may last until then.
    this.nowMs += this.#leaseMs + 1;
    for (let named = namedIn(this.table).size; named > 0; named--) await lookAtOneHolder(engine, PATTERN, now);
  }

  async #judgeEnd(): Promise<void> {
    await this.#lookAtNames();
    const [named, turns] = [[...namedIn(this.table)], this.turns()];
    if (named.length > 0) throw new Broken(`all have ended, and a place names ${named.join(", ")}`);
    if (turns.length > 0) throw new Broken(`all have ended, and a turn is left: ${turns.join(", ")}`);
  }
}

/** A sole owner looks at a holder now and then, by lot. With these ids, it looks each time. */
function luckless(seed: string): IdSource {
  const ids = new SeededIdSource(seed);
  return {
    derive: (parts, size) => ids.derive(parts, size),
    random: (size) => (size === 1 ? new Uint8Array(1) : ids.random(size)),
  };
}

async function setRule(engine: Engine, rule: Rule): Promise<void> {
  if (rule === "none") await removeRules(engine, [{ pattern: PATTERN }]);
  else await applyRules(engine, [{ pattern: PATTERN, limits: { concurrency: rule } }]);
}

/** The same store or registry, whose calls are noted. */
function watched<Store extends object>(store: Store, note: () => void): Store {
  return new Proxy(store, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? (...args: unknown[]) => (note(), value.apply(target, args)) : value;
    },
  });
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (one instanceof Uint8Array ? one.length : one)) ?? "";
}

function hashOf(text: string): number {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5bd1e995) ^ (b >>> 13);
  }
  return (a >>> 0) * 2 ** 21 + (b >>> 11);
}
