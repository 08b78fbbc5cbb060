/** The spree: control plane, deployment or both are killed again and again while invocations are open. */
import { setTimeout as pause } from "node:timers/promises";
import type { Answered, Job } from "./client.ts";
import { between, planOf, SHAPE_NAMES, type Random } from "./plan.ts";
import type { Stage } from "./stage.ts";

export const KILL_KINDS = ["control plane", "deployment", "both"] as const;

export interface Kill {
  readonly kind: (typeof KILL_KINDS)[number];
  /** The signal was sent after this moment. */
  readonly atMs: number;
  /** All killed processes were dead at this moment. */
  readonly deadMs: number;
  /** Submissions without an answer when the signal was sent. */
  readonly open: number;
}

export interface Spree {
  readonly kills: readonly Kill[];
  /** In the order of the jobs. */
  readonly answers: readonly Answered[];
}

const WAIT_MIN_MS = 20;
const WAIT_MAX_MS = 400;
/** On average one kill in this many does not wait until both processes are ready, and may hit a process that is starting. */
const HASTY_ONE_IN = 8;

/** @returns jobs of every shape in turn: half of the jobs are calls, and half of them are sends */
export function mixedJobs(count: number, random: Random, seed: number): Job[] {
  return Array.from({ length: count }, (_, n) => {
    const shape = SHAPE_NAMES[n % SHAPE_NAMES.length]!;
    const way = (n + Math.floor(n / SHAPE_NAMES.length)) % 2 === 0 ? "call" : "send";
    return { shape, plan: planOf(shape, random), way, idempotencyKey: `${seed}-${n}` };
  });
}

export interface Scene extends Stage {
  readonly random: Random;
}

/** Submits the jobs spread over all kills; resolves when every job is answered. */
export async function killingSpree(scene: Scene, jobs: readonly Job[], killCount: number): Promise<Spree> {
  const { client, random } = scene;
  const kills: Kill[] = [];
  const submitted: Promise<Answered>[] = [];
  let ended = 0;
  const submitDue = (): void => {
    while (submitted.length < jobs.length && submitted.length * killCount < (kills.length + 1) * jobs.length) {
      const answer = client.submit(jobs[submitted.length]!);
      // The final `Promise.all` reports a failure; this handler prevents an unhandled rejection before it.
      answer.then(
        () => (ended += 1),
        () => undefined,
      );
      submitted.push(answer);
    }
  };
  while (kills.length < killCount) {
    submitDue();
    if (random() >= 1 / HASTY_ONE_IN) await allReady(scene);
    await pause(between(random, WAIT_MIN_MS, WAIT_MAX_MS));
    kills.push(await killOnce(scene, submitted.length - ended));
  }
  await allReady(scene);
  return { kills, answers: await Promise.all(submitted) };
}

async function allReady({ controlPlane, deployment }: Scene): Promise<void> {
  await Promise.all([controlPlane.ready(), deployment.ready()]);
}

async function killOnce({ controlPlane, deployment, random }: Scene, open: number): Promise<Kill> {
  const kind = KILL_KINDS[between(random, 0, KILL_KINDS.length - 1)]!;
  const victims = { "control plane": [controlPlane], deployment: [deployment], both: [controlPlane, deployment] }[kind];
  const atMs = Date.now();
  await Promise.all(victims.map((victim) => victim.end("SIGKILL")));
  const deadMs = Date.now();
  for (const victim of victims) victim.start();
  return { kind, atMs, deadMs, open };
}
