/** One attempt of a handler: every closure that it runs writes a line into the ledger. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Context, RestatePromise } from "@restatedev/restate-sdk";
import { openLedger, readLedger, type Line } from "./ledger.ts";
import type { Recorded } from "./outcome.ts";

export const RETRY_QUICKLY = { initialInterval: 50, maxInterval: 400, exponentiationFactor: 2 };
const RETRY_RUN_MS = 60;
/** Long enough for many kills to fall between an execution and its commit. */
const CLOSURE_MAX_MS = 60;

/** One process of the deployment, from its start to its end. */
export type Life = Pick<Line, "bootId" | "bootAtMs">;

export class Attempt {
  readonly ctx: Context;
  readonly #ledgerPath: string;
  readonly #life: Life;
  readonly #attemptId = randomUUID();
  readonly #attemptAtMs = Date.now();

  constructor(ctx: Context, ledgerPath: string, life: Life) {
    this.ctx = ctx;
    this.#ledgerPath = ledgerPath;
    this.#life = life;
  }

  run(step: string, value?: string): RestatePromise<Recorded & { value?: string }> {
    return this.ctx.run(step, async () => {
      await pause(Math.random() * CLOSURE_MAX_MS);
      const recorded = this.#enter(step, false);
      await pause(Math.random() * CLOSURE_MAX_MS);
      return value === undefined ? recorded : { ...recorded, value };
    });
  }

  /** Counts the failures in the ledger, because a kill erases the memory of the process. */
  runFailing(step: string, failures: number): Promise<Recorded> {
    const { id } = this.ctx.request();
    const closure = async (): Promise<Recorded> => {
      const thrown = readLedger(this.#ledgerPath).filter(
        (line) => line.invocationId === id && line.step === step && line.throws,
      );
      const recorded = this.#enter(step, thrown.length < failures);
      if (thrown.length < failures) throw new Error(`${step} fails on purpose, for the ${thrown.length + 1}. time`);
      await pause(Math.random() * CLOSURE_MAX_MS);
      return recorded;
    };
    return this.ctx.run(step, closure, {
      initialRetryInterval: RETRY_RUN_MS,
      maxRetryInterval: RETRY_RUN_MS,
      retryIntervalFactor: 1,
    });
  }

  #enter(step: string, throws: boolean): Recorded {
    const recorded: Recorded = { step, nonce: randomUUID(), atMs: Date.now() };
    const ledger = openLedger(this.#ledgerPath);
    const { id: invocationId } = this.ctx.request();
    const [attemptId, attemptAtMs] = [this.#attemptId, this.#attemptAtMs];
    ledger.append({ invocationId, ...recorded, ...this.#life, attemptId, attemptAtMs, throws });
    ledger.close();
    return recorded;
  }
}
