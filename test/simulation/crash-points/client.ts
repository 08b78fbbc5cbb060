/** The clients of a scenario: they send requests to the living process, and some requests are never answered. */
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { call } from "../../../shared/engine/ingress/call.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { idempotentId } from "../../../shared/engine/accept/invocation-ids.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import type { Ended, Submission } from "../../../shared/engine/ports/submission.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { RequestOptions } from "../../../shared/core/model/request-options.ts";
import type { Target } from "../../../shared/core/model/target.ts";
import type { RequestRole, World } from "./world.ts";

const SIM: At = { service: "Sim" };
const RETRY_MS = 200;
const DAY_MS = 86_400_000;
/** An ordered pass reads hundreds of days of the listing, so an operator takes time before the next try. */
const ORDERED_AGAIN_MS = 15_000;
const TRIES_MAX = 100;

/** The target without its handler: service `Sim` by default, and the key of a keyed service. */
export type At = Pick<Target, "service" | "key">;

export interface Ask {
  readonly input?: unknown;
  readonly at?: At;
  /**
   * A client repeats a request with a key until the request is answered. Without a key, the client repeats only a send to the
   * `run` handler of the workflow.
   */
  readonly key?: string;
  readonly delayMs?: number;
  /** A client repeats a request with a singleton key, too. */
  readonly options?: RequestOptions;
}

/** An acknowledged invocation, with the moments of the first request and of the acknowledgement. */
export interface Known {
  readonly id: InvocationId;
  readonly askedAt: number;
  readonly toldAt: number;
}

export class Client {
  /** The ends that clients received. */
  answers: Ended[] = [];
  /** The invocations that clients know to be accepted. */
  readonly acknowledged: Known[] = [];
  /** Invocations that an operator pauses. If the pause takes one out of the queue of its key, it may begin after later ones. */
  readonly leftQueue = new Set<string>();
  /** True if a request without a key was not answered, so that its acceptance is unknown. */
  lostOne = false;
  readonly #world: World;
  /** The number of requests and acknowledgements so far, which serves as the current moment. */
  #moments = 0;

  constructor(world: World) {
    this.#world = world;
  }

  async call(handler: string, ask: Ask = {}): Promise<void> {
    const askedAt = ++this.#moments;
    const ended = await this.ask(isRepeatable(ask), (engine) => call(engine, submissionOf(handler, ask)), "ingress");
    if (ended === undefined) return;
    if (ended.kind !== "ended") throw new Error(`${handler} was refused: ${ended.kind}`);
    this.#know(ended.invocationId, askedAt);
    this.answers.push(ended);
  }

  /** @returns the id; undefined if the client never gets it */
  async send(handler: string, ask: Ask = {}): Promise<InvocationId | undefined> {
    const askedAt = ++this.#moments;
    const isRun = ask.at?.service === "Flow" && handler === "run";
    const request = (engine: Engine) => {
      const { delayMs } = ask;
      const startAtMs = delayMs === undefined ? {} : { startAtMs: engine.clock.nowMs() + delayMs };
      return send(engine, { ...submissionOf(handler, ask), ...startAtMs });
    };
    const sent = await this.ask(isRepeatable(ask) || isRun, request, "ingress");
    if (sent === undefined) return undefined;
    if (sent.kind !== "sent") throw new Error(`${handler} was refused: ${sent.kind}`);
    this.#know(sent.invocationId, askedAt);
    return sent.invocationId;
  }

  async attach(id: InvocationId): Promise<void> {
    const ended = await this.ask(true, (engine) => attach(engine, id), "ingress");
    if (ended?.kind !== "ended") throw new Error(`${id} was accepted, and is ${ended?.kind}`);
    this.answers.push(ended);
  }

  /** @returns the id that all requests with this key get */
  idOf(handler: string, key: string, at: At = SIM): InvocationId {
    return idempotentId(this.#world.observer(), { ...at, handler }, key);
  }

  #know(id: InvocationId, askedAt: number): void {
    this.acknowledged.push({ id, askedAt, toldAt: ++this.#moments });
  }

  async cancel(id: InvocationId): Promise<void> {
    await this.ask(true, (engine) => cancel(engine, id));
  }

  /** @returns false if the invocation is unknown */
  async kill(id: InvocationId): Promise<boolean> {
    return (await this.ask(true, (engine) => kill(engine, id))) !== "unknown";
  }

  /** True if a stored item shows an attempt. */
  async hasBegun(id: InvocationId): Promise<boolean> {
    return ((await load(this.#world.observer(), id))?.invocation.attempts ?? 0) > 0;
  }

  async wait(ms: number): Promise<void> {
    await this.#world.clock.sleep(ms);
  }

  /** Asks for a result that may be forgotten, or that was never there: an invocation may be stopped before its first attempt. */
  async seek(id: InvocationId): Promise<void> {
    const found = await this.ask(true, (engine) => attach(engine, id), "ingress");
    if (found?.kind === "ended") this.answers.push(found);
  }

  /** Switches the machine off for days. What had ended before may be forgotten by then, so no answer is compared with it. */
  async off(days: number): Promise<void> {
    await this.#world.off(days * DAY_MS);
    this.answers = [];
    this.acknowledged.length = 0;
  }

  /** After a restore, an operator orders a pass of the sweeper over everything. */
  async sweepAll(): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { sweepAll, death } = await this.#world.alive();
      try {
        return await Promise.race([sweepAll(), death]);
      } catch {
        await this.wait(ORDERED_AGAIN_MS);
      }
    }
    throw new Error("no pass came to its end");
  }

  /** Waits until the invocation has ended. */
  async ended(id: InvocationId): Promise<void> {
    while ((await load(this.#world.observer(), id))?.invocation.phase.status !== "completed") await this.wait(RETRY_MS);
  }

  /**
   * Sends the request to the living process. If the request fails and `again` is true, the client repeats it.
   * @param role the function that gets the request, if the processes are functions: by default that of operators
   */
  async ask<T>(
    again: boolean,
    request: (engine: Engine) => Promise<T>,
    role: RequestRole = "admin",
  ): Promise<T | undefined> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { request: answer, death } = await this.#world.alive();
      try {
        return await Promise.race([answer(request, role), death]);
      } catch {
        this.lostOne ||= !again;
        if (!again) return undefined;
        await this.wait(RETRY_MS);
      }
    }
    throw new Error("a client was never answered");
  }
}

function isRepeatable({ key, options }: Ask): boolean {
  return key !== undefined || options?.singleton !== undefined;
}

function submissionOf(handler: string, { input, key, at = SIM, options }: Ask): Submission {
  return {
    target: { ...at, handler },
    input: input === undefined ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(input)),
    headers: input === undefined ? [] : [{ key: "content-type", value: "application/json" }],
    ...(key !== undefined && { idempotencyKey: key }),
    ...(options && { options }),
  };
}
