/** One attempt of a handler: every closure that it runs writes a line into the ledger, with the processes that ran it. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { serde, type Context, type RestatePromise } from "@restatedev/restate-sdk/lambda";
import { openLedger } from "../../crash/ledger.ts";
import type { Recorded } from "../../crash/outcome.ts";
import { noiseOf } from "./noise.ts";
import type { LoadLine } from "./results.ts";

/** A request header with the id of the driver's process. The deployment's server finds the id by the socket, or sets 0. */
export const DRIVER_HEADER = "x-load-driver";
const CLOSURE_MAX_MS = 40;
const RETRY_RUN_MS = 60;
/** A large result begins with the length of its record, in this many bytes; then come the record and the value. */
const LENGTH_BYTES = 4;
const BOOT = { bootId: randomUUID(), bootAtMs: performance.timeOrigin };

export class Attempt {
  readonly ctx: Context;
  readonly #ledgerPath: string;
  readonly #attemptId = randomUUID();
  readonly #attemptAtMs = Date.now();

  constructor(ctx: Context, ledgerPath: string) {
    this.ctx = ctx;
    this.#ledgerPath = ledgerPath;
  }

  get invocationId(): string {
    return this.ctx.request().id;
  }

  /** @param value a value that the ledger's readers find in the line of this step */
  run(step: string, value?: string): RestatePromise<Recorded> {
    return this.ctx.run(step, async () => {
      await pause(Math.random() * CLOSURE_MAX_MS);
      const recorded = this.#enter(step, false, value);
      await pause(Math.random() * CLOSURE_MAX_MS);
      return recorded;
    });
  }

  /** The result of the run is its record and `bytes` incompressible bytes. */
  runLarge(step: string, bytes: number): RestatePromise<Uint8Array> {
    const closure = (): Uint8Array => {
      const told = Buffer.from(JSON.stringify(this.#enter(step, false)));
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(told.length);
      return Buffer.concat([length, told, noiseOf(`${this.invocationId} ${step}`, bytes)]);
    };
    return this.ctx.run(step, closure, { serde: serde.binary });
  }

  /** Throws with a probability of one half. */
  runFlaky(step: string): RestatePromise<Recorded> {
    const closure = async (): Promise<Recorded> => {
      const throws = Math.random() < 0.5;
      const recorded = this.#enter(step, throws);
      if (throws) throw new Error(`${step} fails on purpose`);
      await pause(Math.random() * CLOSURE_MAX_MS);
      return recorded;
    };
    return this.ctx.run(step, closure, { initialRetryInterval: RETRY_RUN_MS, retryIntervalFactor: 1 });
  }

  #enter(step: string, throws: boolean, value?: string): Recorded {
    const recorded: Recorded = { step, nonce: randomUUID(), atMs: Date.now() };
    const line: LoadLine = {
      invocationId: this.invocationId,
      ...recorded,
      ...BOOT,
      attemptId: this.#attemptId,
      attemptAtMs: this.#attemptAtMs,
      throws,
      pid: process.pid,
      driverPid: Number(this.ctx.request().attemptHeaders.get(DRIVER_HEADER) ?? 0),
      ...(value !== undefined && { value }),
    };
    const ledger = openLedger(this.#ledgerPath);
    ledger.append(line);
    ledger.close();
    return recorded;
  }
}

/** @param large the result of a `runLarge` */
export function recordedIn(large: Uint8Array): Recorded {
  return JSON.parse(Buffer.from(large.subarray(LENGTH_BYTES, valueAt(large))).toString("utf8")) as Recorded;
}

export function valueIn(large: Uint8Array): Uint8Array {
  return large.subarray(valueAt(large));
}

function valueAt(large: Uint8Array): number {
  return LENGTH_BYTES + Buffer.from(large.buffer, large.byteOffset, LENGTH_BYTES).readUInt32BE();
}
