/** Kills, stops and continues the processes of functions at random, and deletes every message and schedule now and then. */
import { pause, type DeployedStack } from "../e2e-aws/control-plane.ts";
import { processesOf, signal } from "../e2e-aws/function-processes.ts";
import { sweep, wipeHints } from "../e2e-aws/hints.ts";
import { between, type Random } from "../crash/plan.ts";
import type { LedgerTail } from "./ledger-tail.ts";

/**
 * A blow to a process: the killer kills or stops it, it exceeds its memory limit, or the throttle between the functions and the
 * emulator refuses a request of it.
 */
export interface Blow {
  /** A refused request is `throttled` if the client repeats it, and `given up` if it was the client's last try. */
  readonly kind: "killed" | "stopped" | "out of memory" | "throttled" | "given up";
  readonly name: string;
  readonly pid: number;
  readonly fromMs: number;
  /** For a stop, the moment at which the process continues. */
  toMs: number;
}

const WAIT_MIN_MS = 300;
const WAIT_MAX_MS = 2_500;
const AIM_WITHIN_MS = 5_000;
/** The time from a step until its segment is durable and its effects are performed. A blow is worst in this time. */
const COMMIT_MAX_MS = 120;
/** Steps whose segments have effects: sends, calls, hand-overs of the lock, or results. */
const EVENTFUL = new Set(["first", "last", "leave", "end"]);
/** Functions with more work are hit more often. */
const NAMES = ["worker", "worker", "ingress", "ingress", "handlers", "sweeper", "admin"];
/** Some stops are longer than the lease, so that another process takes over before the stopped driver continues. */
const STOP_MIN_MS = 300;
const STOP_MAX_MS = 14_000;
const WIPE_EVERY_MS = 55_000;
const SWEEP_EVERY_MS = 20_000;

export interface Functions {
  /** The full name of a function, by the short name that the figures of the run use, such as `worker`. */
  readonly [name: string]: string;
}

export class Killer {
  readonly blows: Blow[] = [];
  readonly wipedAtMs: number[] = [];
  readonly failedSweeps: string[] = [];
  sweeps = 0;
  allAtOnce = 0;
  /** Kills of processes that were committing a step. */
  aimed = 0;
  readonly #stack: DeployedStack;
  readonly #functions: Functions;
  readonly #tail: LedgerTail;
  readonly #random: Random;
  #isOver = false;

  constructor(stack: DeployedStack, functions: Functions, tail: LedgerTail, random: Random) {
    this.#stack = stack;
    this.#functions = functions;
    this.#tail = tail;
    this.#random = random;
  }

  /** Resolves when `stop` was called and all processes run again. */
  async run(): Promise<void> {
    const others = [this.#every(WIPE_EVERY_MS, () => this.#wipe()), this.#every(SWEEP_EVERY_MS, () => this.#sweep())];
    while (!this.#isOver) {
      await pause(between(this.#random, WAIT_MIN_MS, WAIT_MAX_MS));
      if (!this.#isOver) await this.#strike();
    }
    await Promise.all(others);
  }

  stop(): void {
    this.#isOver = true;
  }

  async #strike(): Promise<void> {
    const luck = this.#random();
    const name = NAMES[between(this.#random, 0, NAMES.length - 1)]!;
    if (luck < 0.02) {
      this.allAtOnce += 1;
      for (const each of Object.keys(this.#functions)) this.#kill(each, this.#processes(each));
    } else if (luck < 0.07) this.#kill(name, this.#processes(name));
    else if (luck < 0.35) this.#kill(name, this.#oneOf(name));
    else if (luck < 0.8) await this.#aim();
    else await this.#freeze(name, this.#oneOf(name));
  }

  /** Waits for a step, and kills the process that is about to commit it, or that performs its effects. */
  async #aim(): Promise<void> {
    const line = await Promise.race([this.#tail.next(EVENTFUL), pause(AIM_WITHIN_MS)]);
    await pause(between(this.#random, 0, COMMIT_MAX_MS));
    if (line === undefined) return;
    // The driver of an attempt over Lambda is unknown, so the killer kills the process of the handler.
    const pid = line.driverPid === 0 ? line.pid : line.driverPid;
    const name = Object.keys(this.#functions).find((each) => this.#processes(each).includes(pid));
    if (name === undefined) return;
    this.aimed += 1;
    this.#kill(name, [pid]);
  }

  #processes(name: string): number[] {
    return processesOf([this.#functions[name]!]);
  }

  #oneOf(name: string): number[] {
    const pids = this.#processes(name);
    return pids.length === 0 ? [] : [pids[between(this.#random, 0, pids.length - 1)]!];
  }

  #kill(name: string, pids: readonly number[]): void {
    const fromMs = Date.now();
    for (const pid of pids) {
      if (hit(pid, "SIGKILL")) this.blows.push({ kind: "killed", name, pid, fromMs, toMs: fromMs });
    }
  }

  /** Stops processes for a while. The killer waits meanwhile, so that it kills no stopped process. */
  async #freeze(name: string, pids: readonly number[]): Promise<void> {
    for (const pid of pids) {
      const blow: Blow = { kind: "stopped", name, pid, fromMs: Date.now(), toMs: Infinity };
      if (!hit(pid, "SIGSTOP")) continue;
      this.blows.push(blow);
      await pause(between(this.#random, STOP_MIN_MS, STOP_MAX_MS));
      hit(pid, "SIGCONT");
      blow.toMs = Date.now();
    }
  }

  async #every(everyMs: number, work: () => Promise<void>): Promise<void> {
    for (let nextMs = Date.now() + everyMs; !this.#isOver; await pause(200)) {
      if (Date.now() < nextMs) continue;
      nextMs = Date.now() + everyMs;
      await work();
    }
  }

  async #wipe(): Promise<void> {
    // A schedule that fires during the wipe makes its deletion fail.
    while (
      !(await wipeHints(this.#stack).then(
        () => true,
        () => false,
      ))
    )
      await pause(200);
    this.wipedAtMs.push(Date.now());
  }

  /** Calls the sweeper. The schedule of the stack does so every five minutes, which is long compared with the leases here. */
  async #sweep(): Promise<void> {
    this.sweeps += 1;
    await sweep(this.#stack).catch((error: unknown) => this.failedSweeps.push(String(error)));
  }
}

/** @returns false if the process had ended by itself */
function hit(pid: number, name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): boolean {
  try {
    signal([pid], name);
    return true;
  } catch {
    return false;
  }
}
