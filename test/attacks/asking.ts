/** The attacker's requests to the server: many parallel sends, statements, and reads of answers as text. */
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import type { Scene } from "./attack.ts";
import { fetch } from "../harness/local/admin-access.ts";

const JSON_TYPE = { "content-type": "application/json" };

export interface Sends {
  readonly count: number;
  /** The input by the number of the send; empty if absent. */
  readonly input?: (at: number) => string | Uint8Array;
  /** The key of the object, by the number of the send. */
  readonly key?: (at: number) => string;
  /** The number of parallel sends; 20 by default. */
  readonly lanes?: number;
  /** The time after which no further send starts. */
  readonly withinMs?: number;
}

/** @returns the ids of accepted invocations, without refused and unanswered sends */
export async function sendMany(scene: Scene, handler: string, sends: Sends): Promise<string[]> {
  const { count, input, key, lanes = 20, withinMs = 6_000 } = sends;
  const untilMs = performance.now() + withinMs;
  const accepted: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count && performance.now() < untilMs) {
      const at = next++;
      const path = key === undefined ? `Attacker/${handler}` : `Attacker/${key(at)}/${handler}`;
      const body = input?.(at);
      const init = { method: "POST", ...(body !== undefined && { body: body as string, headers: JSON_TYPE }) };
      const answer = await ask(`${scene.ingressUri}/${path}/send`, init);
      if (answer.status !== 202 && answer.status !== 200) continue;
      accepted.push((JSON.parse(answer.text) as { invocationId: string }).invocationId);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return accepted;
}

export async function send(scene: Scene, handler: string, key?: string): Promise<string> {
  const [id] = await sendMany(scene, handler, { count: 1, ...(key !== undefined && { key: () => key }) });
  if (id === undefined) throw new Error(`${handler} was not accepted`);
  return id;
}

export interface Answered {
  /** The status; 0 without an answer in time. */
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

/** @param patienceMs the time after which the request is aborted */
export async function ask(uri: string, init: RequestInit = {}, patienceMs = SEEN_WITHIN_MS): Promise<Answered> {
  const fromMs = performance.now();
  try {
    const response = await fetch(uri, { ...init, signal: AbortSignal.timeout(patienceMs) });
    const text = await response.text();
    return { status: response.status, text, tookMs: performance.now() - fromMs };
  } catch (error) {
    return { status: 0, text: String(error), tookMs: performance.now() - fromMs };
  }
}

export function post(uri: string, body: unknown, patienceMs?: number): Promise<Answered> {
  return ask(uri, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) }, patienceMs);
}

export function statement(scene: Scene, query: string, patienceMs?: number): Promise<Answered> {
  const headers = { ...JSON_TYPE, accept: "application/json" };
  return ask(`${scene.adminUri}/query`, { method: "POST", headers, body: JSON.stringify({ query }) }, patienceMs);
}

/** @returns a complaint for each answer that is not 200 */
export async function unanswered(scene: Scene, paths: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(paths.map((path) => ask(`${scene.adminUri}${path}`)));
  return answers.flatMap(({ status }, at) => (status === 200 ? [] : [`GET ${paths[at]} was answered with ${status}`]));
}

/** The rate of attempts per second over the last `overMs` milliseconds. */
export function attemptsPerSecond({ attemptsAtMs }: Scene, overMs: number): number {
  const sinceMs = performance.now() - overMs;
  return Math.round((attemptsAtMs.filter((atMs) => atMs >= sinceMs).length * 1_000) / overMs);
}

/** Waits for `count` attempts, at most `withinMs`. */
export async function attemptsCome(scene: Scene, count: number, withinMs = SEEN_WITHIN_MS): Promise<void> {
  for (const untilMs = performance.now() + withinMs; performance.now() < untilMs; await pause(50))
    if (scene.attemptsAtMs.length >= count) return;
}
