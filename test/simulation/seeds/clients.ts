/** The clients of a seed, and the actor outside, which resolves awakeables. Both send requests to a living process. */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { textHash } from "../../../shared/core/model/text-hash.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { call } from "../../../shared/engine/ingress/call.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { idempotentId } from "../../../shared/engine/accept/invocation-ids.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import type { Ended, Submission } from "../../../shared/engine/ports/submission.ts";
import { sweepAll } from "../../../shared/engine/sweep/sweep.ts";
import type { RequestedRole } from "./functions.ts";
import type { Told } from "./outside.ts";
import type { Ask } from "./plan.ts";
import { REJECTED, targetOf, WOKEN } from "./program.ts";
import type { World } from "./world.ts";

const RETRY_MS = 400;
/** A client repeats requests for longer than all bursts of throttling together take. */
const TRIES_MAX = 900;
/** The time that the actor outside takes to answer. */
const ANSWER_MS = 200;
const INTERRUPT_MS = 15_000;

export class Clients {
  /** The ends that clients received, with their requests. */
  readonly answers: { readonly ask: Ask; readonly ended: Ended }[] = [];
  /** The ends that clients read who came back later. */
  readonly read: Ended[] = [];
  /**
   * The invocations whose acceptance was confirmed to a client, and when. If an attach got no end, `atMs` is Infinity, so that
   * the verdict requires no later program to run after this one.
   */
  readonly acknowledged: { readonly ask: Ask; readonly id: InvocationId; readonly atMs: number }[] = [];
  /** True if a request without a key was not answered, so that its acceptance is unknown. */
  lostOne = false;
  readonly #world: World;
  #busy = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** True while a client waits for an answer, or the actor outside has to resolve an awakeable. */
  get isBusy(): boolean {
    return this.#busy > 0;
  }

  /** @param fail called with a complaint about each client that fails */
  start(plan: readonly Ask[], fail: (complaint: string) => void): void {
    for (const ask of plan) this.ask(ask, fail);
    const { clock, outside } = this.#world;
    outside.listen((told) =>
      this.busyWith(
        clock.sleep(ANSWER_MS).then(() => this.resolve(told)),
        fail,
      ),
    );
  }

  /** Sends one more request. */
  ask(ask: Ask, fail: (complaint: string) => void): void {
    this.busyWith(this.#play(ask), fail);
  }

  /** Calls with the key of an earlier request. */
  async repeat(ask: Ask): Promise<void> {
    await this.#call(ask);
  }

  /** Notes an end that a client read. */
  note(ended: Ended): void {
    this.read.push(ended);
  }

  /** Counts as a client that waits until the work is done. */
  busyWith(done: Promise<unknown>, fail: (complaint: string) => void): void {
    this.#busy++;
    done.then(
      () => this.#busy--,
      (error: unknown) => fail(`a client failed: ${String(error)}`),
    );
  }

  async #play(ask: Ask): Promise<void> {
    const { clock } = this.#world;
    await clock.sleep(ask.atMs);
    const { later } = ask;
    const first = ask.how === "call" ? this.#call(ask) : this.#send(ask);
    // A request with a key has an id before it is accepted.
    const id = ask.key === undefined ? (ask.how === "send" ? await first : undefined) : this.#idOf(ask, ask.key);
    const follow = async (): Promise<void> => {
      if (later === undefined || id === undefined) return;
      await clock.sleep(later.afterMs);
      if (later.what === "again") await this.#call(ask);
      else if (later.what === "attach") await this.#attach(ask, id, first);
      else await this.#interruptAll(ask, id, later.what === "kill" ? kill : cancel, first);
    };
    await Promise.all([first, follow()]);
  }

  async #call(ask: Ask): Promise<undefined> {
    const ended = await this.#accepted(ask, (engine) => call(engine, submissionOf(ask)));
    if (ended === undefined) return;
    if (ended.kind !== "ended") throw new Error(`${ask.program.name} was refused: ${ended.kind}`);
    this.answers.push({ ask, ended });
  }

  /** @returns the id; undefined if the client never gets it */
  async #send(ask: Ask): Promise<InvocationId | undefined> {
    const sent = await this.#accepted(ask, (engine) => {
      const startAtMs = ask.delayMs > 0 ? { startAtMs: engine.clock.nowMs() + ask.delayMs } : {};
      return send(engine, { ...submissionOf(ask), ...startAtMs });
    });
    if (sent === undefined) return undefined;
    if (sent.kind !== "sent") throw new Error(`${ask.program.name} was refused: ${sent.kind}`);
    this.acknowledged.push({ ask, id: sent.invocationId, atMs: this.#world.clock.nowMs() });
    return sent.invocationId;
  }

  /** Repeats the request while no deployment with its service is registered. */
  async #accepted<T extends { readonly kind: string }>(ask: Ask, request: (engine: Engine) => Promise<T>) {
    for (let tries = 0; ; tries++) {
      const answer = await this.request(ask.key !== undefined, request);
      if (answer?.kind !== "unknown-service" || tries > TRIES_MAX) return answer;
      await this.#world.clock.sleep(RETRY_MS);
    }
  }

  async #attach(ask: Ask, id: InvocationId, first: Promise<unknown>): Promise<void> {
    await first;
    const ended = await this.request(true, (engine) => attach(engine, id));
    if (ended?.kind === "ended") this.answers.push({ ask, ended });
    else this.acknowledged.push({ ask, id, atMs: Infinity });
  }

  /**
   * Repeats the interruption until the client is answered. An invocation that ends before its first attempt leaves no record, so
   * a repeated request of the client begins a new life, which must be interrupted as well.
   */
  async #interruptAll(ask: Ask, id: InvocationId, how: typeof cancel, first: Promise<unknown>): Promise<void> {
    const answered = first.then(() => true);
    await this.#interrupt(id, how);
    if (ask.program.yields !== true) return;
    while (!(await Promise.race([answered, this.#world.clock.sleep(INTERRUPT_MS).then(() => false)])))
      await this.#interrupt(id, how);
    if (ask.how === "send") await this.#interrupt(id, how);
  }

  /** Repeats while the engine does not know the invocation: if a process died with the first request, the client repeats it. */
  async #interrupt(id: InvocationId, how: typeof cancel): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if ((await this.request(true, (engine) => how(engine, id))) !== "unknown") return;
      await this.#world.clock.sleep(RETRY_MS);
    }
  }

  /** Resumes, as an operator does, an invocation that was paused because processes died. */
  resume(id: InvocationId, fail: (complaint: string) => void): void {
    this.busyWith(
      this.request(true, (engine) => resume(engine, id, { kind: "keep" })),
      fail,
    );
  }

  #idOf({ program }: Ask, key: string): InvocationId {
    return idempotentId(this.#world.observer(), targetOf(program), key);
  }

  /** Resolves an awakeable, or rejects it, as the actor outside does. */
  async resolve({ awakeable, refuses }: Told): Promise<void> {
    const failure = { kind: "failure", failure: { code: REJECTED, message: "outside" } } as const;
    const success = { kind: "success", value: new TextEncoder().encode(JSON.stringify(WOKEN)) } as const;
    await this.request(true, (engine) => completeAwakeable(engine, awakeable, refuses ? failure : success));
  }

  /** Orders a pass of the sweeper over everything. */
  async orderPass(): Promise<void> {
    await this.request(true, (engine) => sweepAll(engine), "loses nothing", "sweeps");
  }

  /**
   * Sends a request to a living process.
   * @param again true if the client repeats the request until it is answered
   * @param loss whether an unanswered request may have left an invocation that nobody knows
   * @returns undefined if the client never gets an answer
   */
  async request<T>(
    again: boolean,
    request: (engine: Engine) => Promise<T>,
    loss: "loses one" | "loses nothing" = "loses one",
    role?: RequestedRole,
  ): Promise<T | undefined> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      try {
        return await this.#world.request(request, role);
      } catch (error) {
        this.#world.trace(`a client is told: ${String(error)}`);
        this.lostOne ||= !again && loss === "loses one";
        if (!again) return undefined;
        await this.#world.clock.sleep(RETRY_MS);
      }
    }
    throw new Error("a client was never answered");
  }
}

function submissionOf({ program, key }: Ask): Submission {
  return {
    target: targetOf(program),
    input: new TextEncoder().encode(JSON.stringify({ program })),
    headers: [{ key: "content-type", value: "application/json" }],
    ...(key !== undefined && { idempotencyKey: key }),
    ...optionsOf(program, key),
  };
}

/** Longer than any seed. */
const NEVER_MS = 300 * 86_400_000;

/** Of the requests without an end in sight, some have deadlines that never pass, and some a singleton key of their own. */
function optionsOf({ name, flow }: Ask["program"], key: string | undefined): Pick<Submission, "options"> {
  const kind = textHash(name) % 4;
  if (kind === 0) return { options: { startWithinMs: NEVER_MS, endWithin: NEVER_MS } };
  return kind === 1 && key === undefined && flow === undefined ? { options: { singleton: name } } : {};
}
