/** A client that repeats each interrupted request under the same idempotency key. */
import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import type { Site } from "./programs.ts";
import { fetch } from "../harness/local/admin-access.ts";

export interface Job {
  readonly shape: string;
  readonly plan: Plan;
  /** A call waits for its answer on one request; for a send, the client attaches by the invocation id. */
  readonly way: "call" | "send";
  readonly idempotencyKey: string;
}

export interface Answered {
  readonly invocationId: string;
  /** The body, byte for byte. */
  readonly text: string;
}

const ASK_AGAIN_AFTER_MS = 50;

export class Client {
  readonly #site: Site;
  readonly #untilMs: number;
  /** Requests that were broken off, or refused by a process that was stopping. */
  interrupted = 0;

  /** @param untilMs the moment from which every request fails */
  constructor(site: Site, untilMs: number) {
    this.#site = site;
    this.#untilMs = untilMs;
  }

  /**
   * Resolves when the invocation has ended.
   * @throws Error for any answer but success
   */
  async submit({ plan, way, idempotencyKey }: Job): Promise<Answered> {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
      body: JSON.stringify(plan),
    };
    const path = plan.key === undefined ? "/Player/play" : `/Tally/${encodeURIComponent(plan.key)}/add`;
    const answer = await this.#ask(`${this.#site.ingressUri}${path}${way === "call" ? "" : "/send"}`, init);
    if (way === "call") return { invocationId: answer.invocationId, text: answer.text };
    return await this.attach((JSON.parse(answer.text) as { invocationId: string }).invocationId);
  }

  async attach(invocationId: string): Promise<Answered> {
    const { text } = await this.#ask(`${this.#site.ingressUri}/restate/invocation/${invocationId}/attach`);
    return { invocationId, text };
  }

  async outcomeOf(invocationId: string): Promise<Outcome> {
    return JSON.parse((await this.attach(invocationId)).text) as Outcome;
  }

  async inspect(invocationId: string): Promise<{ status: string; entries: readonly { type: string }[] }> {
    const { text } = await this.#ask(`${this.#site.adminUri}/invocations/${invocationId}`);
    return JSON.parse(text) as { status: string; entries: { type: string }[] };
  }

  /** The state of an object from the admin API: each value read as JSON. */
  async stateOf(key: string): Promise<Readonly<Record<string, unknown>>> {
    const uri = `${this.#site.adminUri}/services/Tally/state?object_key=${encodeURIComponent(key)}`;
    const { state } = JSON.parse((await this.#ask(uri)).text) as { state: Record<string, { utf8: string }> };
    return Object.fromEntries(Object.entries(state).map(([name, { utf8 }]) => [name, JSON.parse(utf8) as unknown]));
  }

  async #ask(uri: string, init: RequestInit = {}): Promise<{ invocationId: string; text: string }> {
    for (;;) {
      const answer = await this.#askOnce(uri, init);
      if (answer !== undefined) return answer;
      this.interrupted += 1;
      await pause(ASK_AGAIN_AFTER_MS);
    }
  }

  /** @returns the answer; undefined if no process answered, or if a process that is stopping refused the request */
  async #askOnce(uri: string, init: RequestInit): Promise<{ invocationId: string; text: string } | undefined> {
    const leftMs = this.#untilMs - Date.now();
    if (leftMs <= 0) throw new Error(`${uri} has not been answered in time`);
    try {
      const response = await fetch(uri, { ...init, signal: AbortSignal.timeout(leftMs) });
      const text = await response.text();
      if (response.ok) return { invocationId: response.headers.get("x-restate-id") ?? "", text };
      if (response.status !== 503) throw new Refused(`${uri} was answered with ${response.status}: ${text}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    return undefined;
  }
}

class Refused extends Error {}
