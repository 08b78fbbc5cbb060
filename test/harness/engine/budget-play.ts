/**
 * Plays one shape of the write budget (docs/design.md#write-budget) on the real engine, and counts the cost up to the answer and
 * up to the end of all work.
 */
import { expect } from "vitest";
import type { Result } from "../../../shared/core/model/failure.ts";
import { call } from "../../../shared/engine/ingress/call.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import type { Ended, Sent, Submission } from "../../../shared/engine/ports/submission.ts";
import type { Table } from "../../../shared/engine/ports/table.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { SEEN_WITHIN_MS } from "../../patience.ts";
import { openStage, type Process, type Stage, type StageParts, systemPause } from "./budget-stage.ts";
import type { TableCounts } from "./counted-table.ts";

/** Allows for real input and output on a busy machine. A shape that is not quiet by then hangs. */
const QUIET_LOOKS = 3;
const MESSAGES_MAX = 20;

export interface Spent extends TableCounts {
  readonly sends: number;
  readonly receives: number;
  /** All requests to the queue: sends, receives and acks. Each request is about one message. */
  readonly queue: number;
}

export class Play {
  readonly stage: Stage;
  readonly clock: SteppedClock;
  /** Takes the requests; `worker` is another process, which only takes messages. */
  readonly front: Process;
  readonly worker: Process;
  #working = false;

  constructor(stage: Stage, clock: SteppedClock) {
    this.stage = stage;
    this.clock = clock;
    this.front = stage.process();
    this.worker = stage.process();
  }

  async call(target: string, input: unknown, more: Partial<Submission> = {}): Promise<unknown> {
    return valueOf(await call(this.front.engine, { ...submission(target, input), ...more }));
  }

  async send(target: string, input: unknown, more: Partial<Submission> = {}): Promise<Sent> {
    // A worker that finds no invocation behind a message sends the message again, for later, and the clock stands still.
    const accept = () => send(this.front.engine, { ...submission(target, input), ...more });
    const sent = await this.stage.queue.during(accept);
    if (sent.kind !== "sent") throw new Error(`the send was answered with ${sent.kind}`);
    return sent;
  }

  /** Resolves when no invocation is driven and no message is due. */
  async settle(): Promise<void> {
    const isQuiet = (): boolean => this.#driving() === 0 && !this.stage.queue.isBusy(this.clock.nowMs());
    await this.until(isQuiet, "everything is quiet");
  }

  /** Waits in real time, without moving the clock. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const giveUpAtMs = Date.now() + SEEN_WITHIN_MS;
    for (let held = 0; held < QUIET_LOOKS; held = holds() ? held + 1 : 0) {
      if (Date.now() > giveUpAtMs) throw new Error(`this did not happen in time: ${what}:\n${this.#lines()}`);
      await systemPause(3);
    }
  }

  /** Moves the clock in small steps until the promise settles. */
  async stepUntil<T>(promise: Promise<T>, stepMs: number): Promise<T> {
    let settled = false;
    const done = promise.finally(() => (settled = true));
    done.catch(() => undefined);
    while (!settled) {
      await systemPause(5);
      await this.clock.advance(stepMs);
    }
    return await done;
  }

  /**
   * Starts the worker, if it does not run yet. A shape calls this after the acceptance: if the invocation of a message did not
   * exist yet, the worker would send the message again.
   */
  work(): void {
    if (!this.#working) this.worker.work();
    this.#working = true;
  }

  /** Moves the clock to the next message and no further, because the work on the message takes real time. */
  async nextMessage(): Promise<void> {
    const dueAtMs = this.stage.queue.nextDueAtMs;
    if (dueAtMs === undefined) throw new Error(`no message is on its way:\n${this.#lines()}`);
    await this.clock.advance(Math.max(0, dueAtMs - this.clock.nowMs()) + 1);
    await this.settle();
  }

  /** Delivers all messages that are on their way, including the backstops. */
  async drain(): Promise<void> {
    this.work();
    await this.settle();
    for (let round = 0; this.stage.queue.nextDueAtMs !== undefined; round++) {
      if (round > MESSAGES_MAX) throw new Error("each message leads to further messages");
      await this.nextMessage();
    }
  }

  spent(): Spent {
    const counts = [this.front, this.worker].map(({ table }) => table.take(false).counts);
    const { sends, receives, acks } = this.stage.queue.requests;
    const sum = (name: keyof TableCounts): number => counts.reduce((total, one) => total + one[name], 0);
    return {
      items: sum("items"),
      refused: sum("refused"),
      list: sum("list"),
      open: sum("open"),
      reads: sum("reads"),
      transactions: sum("transactions"),
      sends,
      receives,
      queue: sends + receives + acks,
    };
  }

  told(): string {
    return [this.front, this.worker].map(({ table }) => table.take(false).told.join(", ")).join(" | ");
  }

  #driving(): number {
    const processes = [this.front, this.worker].filter(({ table }) => table.frozen === undefined);
    return processes.reduce((sum, { engine }) => sum + engine.activeInvocations.size, 0);
  }

  #lines(): string {
    const lines = [this.front, this.worker].flatMap(({ log }) => log.lines);
    return lines.map(({ level, event, fields }) => `${level} ${event} ${JSON.stringify(fields)}`).join("\n");
  }
}

/** @param path `Service/handler`, or `Object/key/handler` */
export function submission(path: string, input: unknown): Submission {
  const [service = "", ...rest] = path.split("/");
  const [handler = "", key] = rest.toReversed();
  const target = key === undefined ? { service, handler } : { service, handler, key };
  const headers = [{ key: "content-type", value: "application/json" }];
  return { target, input: new TextEncoder().encode(JSON.stringify(input)), headers };
}

export function valueOf(ended: Ended | { readonly kind: string }): unknown {
  expect(ended.kind).toBe("ended");
  return jsonOf((ended as Ended).result);
}

export function jsonOf(result: Result): unknown {
  if (result.kind === "failure") throw new Error(`it failed: ${JSON.stringify(result.failure)}`);
  return JSON.parse(new TextDecoder().decode(result.value));
}

/** The cost of a shape on one kind of table: up to its answer, and in all. */
export interface Played {
  readonly onPath: Spent;
  readonly inAll: Spent;
  /** The requests in order, to find an unexpected one. */
  readonly told: string;
}

/**
 * Plays one shape on the given tables.
 * @param onQuiet a function that runs when the shape is over, before anything is closed
 * @param startMs the first moment of the stage's clock. A shape with sleeps needs the default, because the SDK reads the
 *   machine's clock for the ends of its sleeps.
 */
export async function playShape(
  play: (on: Play) => Promise<void>,
  tables: { readonly table: Table; readonly meta: Table },
  onQuiet: () => void = () => {},
  parts: StageParts = {},
  startMs = Date.now(),
): Promise<Played> {
  const clock = new SteppedClock(startMs);
  const stage = await openStage(clock, tables, parts);
  try {
    const on = new Play(stage, clock);
    await play(on);
    const onPath = on.spent();
    await on.drain();
    onQuiet();
    return { onPath, inAll: on.spent(), told: on.told() };
  } finally {
    await stage.close();
  }
}
