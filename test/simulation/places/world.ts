/**
 * A few invocations of one pool, and the workers that drive them, over one table. The search decides which call takes effect next, which
 * worker dies, and when time passes; the code under it is that of the engine.
 */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Endpoints } from "../../../shared/engine/ports/endpoints.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { consumeWake } from "../../../shared/engine/consume/consume-wake.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { applyRules } from "../../../shared/engine/register/rules.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { holderOf, takenIn } from "../../../shared/engine/store/pool-items.ts";
import { deployment, service } from "../../core/registry/sample-deployment.ts";
import { submission } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { ScriptedDeployment } from "../../harness/engine/scripted-deployment.ts";
import { compose } from "../crash-points/compose.ts";
import { MemoryTable } from "../memory-table.ts";
import { never } from "../never.ts";
import { START_MS } from "../virtual-clock.ts";
import { scheduledTable, type Waiting } from "./scheduled-table.ts";

/** Shorter than a lease. */
const SLEEP_MS = 5_000;
const TICK_MS = SLEEP_MS + 1;
/** No order of a plan has as many calls. */
const STEPS_MAX = 1_000;
const RATE = { count: 1, perMs: 3_600_000, burst: 1 };

const HANDLERS = ["ends", "sleeps", "fails", "wavers"] as const;

export interface Plan {
  /** The handler of each invocation: `ends` at once, `sleeps` first, or fails in the first (`fails`) or the second (`wavers`) attempt. */
  readonly lives: readonly (typeof HANDLERS)[number][];
  readonly places: number;
  /** If true, the rule has a rate instead: one start an hour. */
  readonly isRate?: boolean;
  /** How many workers may die, leases run out, short times pass, and kills come. */
  readonly deaths?: number;
  readonly leases?: number;
  readonly ticks?: number;
  readonly kills?: number;
  /** Plants a mistake into the engine of each worker. */
  readonly sabotage?: (engine: Engine) => Engine;
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
  /** What the worker has seen so far, as a text that is the same for the same answers. */
  seen: string;
  hasAsked: boolean;
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
  readonly left: { deaths: number; leases: number; ticks: number; kills: number };
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

  private constructor(plan: Plan, begun?: World) {
    this.plan = plan;
    const { deaths = 0, leases = 0, ticks = 0, kills = 0 } = plan;
    this.left = { deaths, leases, ticks, kills };
    this.table = begun?.table.fork() ?? new MemoryTable();
    this.meta = begun?.meta.fork() ?? new MemoryTable();
    this.ids = begun?.ids ?? [];
    this.messages = begun?.messages ?? [];
    this.nowMs = begun?.nowMs ?? START_MS;
    this.#leaseMs = this.#engine("door", this.table).settings.leaseMs;
  }

  /** A world in which all invocations are accepted, and no worker runs yet. */
  static async of(plan: Plan): Promise<World> {
    const world = new World(plan);
    const engine = world.#engine("door", world.table);
    await writeDeployment(world.meta, "", deployment(1, [service("S", [...HANDLERS])]), 0);
    const limits = plan.isRate === true ? { rate: RATE } : { concurrency: plan.places };
    await applyRules(engine, [{ pattern: "service:S", limits }]);
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

  #engine(name: string, table: Engine["table"], onAttempt: () => void = () => {}): Engine {
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
    const endpoints: Endpoints = { open: (request) => (onAttempt(), scripted.open(request)) };
    return compose({ clock, table, meta: this.meta, queue, timers, endpoints }, name, false);
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

  #work(of: number, wake: Wake | undefined, run: (engine: Engine) => Promise<unknown>): void {
    const number = (this.#born.get(of) ?? 0) + 1;
    this.#born.set(of, number);
    const waiting: Waiting[] = [];
    const worker: Worker = {
      name: `w${of}-${number}`,
      of,
      wake,
      waiting,
      seen: "",
      hasAsked: false,
      isOver: false,
      isDead: false,
    };
    this.workers.push(worker);
    const onAttempt = (): void => {
      worker.hasAsked = true;
      this.begun.add(of);
    };
    const right = this.#engine(worker.name, scheduledTable(this.table, waiting), onAttempt);
    const engine = this.plan.sabotage?.(right) ?? right;
    run(engine).then(
      () => (worker.isOver = true),
      (error: unknown) => {
        worker.isOver = true;
        worker.seen += `threw ${String(error)}`;
        this.#again(worker);
      },
    );
  }

  #again({ wake }: Worker): void {
    if (wake !== undefined) this.#send(wake, this.nowMs + this.#leaseMs);
  }

  #send(wake: Wake, dueMs: number): void {
    this.messages = [...this.messages, { wake, dueMs }];
  }

  async step(worker: Worker): Promise<void> {
    if (++this.#steps > STEPS_MAX) throw new Broken("the calls do not end");
    const call = worker.waiting.shift()!;
    const answer = await call.pass();
    worker.seen = String(hashOf(`${worker.seen}${call.method}${textOf(answer)}`));
    if (this.plan.isRate !== true) this.#judge(worker, call, answer);
    await this.settle();
    const most = 1 + Math.floor((this.nowMs - START_MS) / RATE.perMs);
    if (this.plan.isRate === true && this.begun.size > most)
      throw new Broken(`${this.begun.size} have begun, not ${most}`);
  }

  /** An attempt counts only once its segment is stored: then a place must name its invocation. */
  #judge(worker: Worker, { method, args }: Waiting, answer: unknown): void {
    if (!worker.hasAsked || method !== "put" || (answer as { written?: boolean }).written !== true) return;
    const { pk, sk } = args[0] as { pk: string; sk: string };
    if (!sk.startsWith("seg")) return;
    worker.hasAsked = false;
    const id = this.ids[worker.of]!;
    if (!pk.includes(id)) return;
    if (!this.holders().some((holder) => holderOf(holder).id === id))
      throw new Broken(`the attempt of ${worker.name} counts, and no place names it`);
  }

  die(worker: Worker): void {
    this.left.deaths--;
    this.#fall(worker);
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
    // The clock alone would wake these.
    for (const worker of this.alive.filter(({ waiting }) => waiting.length === 0)) this.#fall(worker);
  }

  #fall(worker: Worker): void {
    worker.isDead = true;
    this.#again(worker);
  }

  holders(): readonly string[] {
    return this.table
      .all()
      .flatMap((item) => (item.sk === "places" ? takenIn(item) : []))
      .flatMap(([, holder]) => (holder === "-" ? [] : [holder]));
  }

  turns(): readonly string[] {
    return this.table.all().flatMap(({ sk }) => (sk.startsWith("turn#") ? [sk] : []));
  }

  /** What is left of an unfinished world is the same as in another one with this text. */
  key(): string {
    const workers = this.workers.map(({ name, seen, isOver, isDead, waiting }) =>
      isOver || isDead ? `${name}-` : `${name}:${seen}:${waiting.length}`,
    );
    const messages = this.messages.map(({ wake, dueMs }) => `${this.ids.indexOf(wake.invocationId)}@${dueMs}`).sort();
    const items = this.table.all().map(textOf).sort();
    return String(hashOf([...workers.sort(), ...messages, ...items, this.nowMs, JSON.stringify(this.left)].join("\n")));
  }

  /** Runs all that is left, without a further choice: messages when they are due, then looks of the sweeper. */
  async finish(looksMax: number): Promise<void> {
    for (let round = 0; round < 200; round++) {
      for (let worker = this.alive[0]; worker !== undefined; worker = this.alive[0]) await this.step(worker);
      const [next] = this.messages.toSorted((a, b) => a.dueMs - b.dueMs);
      if (next !== undefined) {
        this.nowMs = Math.max(this.nowMs, next.dueMs);
        this.take(next);
        await this.settle();
      } else if (!(await this.#hasOpen())) return this.#judgeEnd();
      else if (this.looks++ >= looksMax) throw new Broken(`an invocation waits after ${looksMax} looks`);
      else await this.#look();
    }
    throw new Broken("the messages do not end");
  }

  async #hasOpen(): Promise<boolean> {
    const engine = this.#engine("judge", this.table);
    const { load } = await import("../../../shared/engine/store/load.ts");
    const all = await Promise.all(this.ids.map((id) => load(engine, id)));
    return all.some((loaded) => loaded !== undefined && loaded.invocation.phase.status !== "completed");
  }

  async #look(): Promise<void> {
    const engine = this.#engine(`sweeper${this.looks}`, this.table);
    this.nowMs += engine.settings.checkIntervalMs + 1;
    await sweepOnce(engine);
  }

  #judgeEnd(): void {
    const [holders, turns] = [this.holders(), this.turns()];
    if (holders.length > 0) throw new Broken(`all have ended, and a place names ${holders.join(", ")}`);
    if (turns.length > 0) throw new Broken(`all have ended, and a turn is left: ${turns.join(", ")}`);
  }
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
