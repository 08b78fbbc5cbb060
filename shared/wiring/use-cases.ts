/** Connects the use cases of operators to the admin API, and starts the loops of the engine. */
import type { InvocationUseCases } from "../api/admin/requests/use-cases.ts";
import { cancel, pause } from "../engine/operate/orders.ts";
import { showInvocation } from "../engine/query/show-invocation.ts";
import { kill } from "../engine/recover/kill.ts";
import { purge, purgeJournal } from "../engine/operate/purge.ts";
import { restart } from "../engine/operate/restart.ts";
import { resume } from "../engine/operate/resume.ts";
import { runTopics } from "../engine/topics/follow-subscriptions.ts";
import { recover, runSweeper } from "../engine/sweep/sweep.ts";
import { runWorker } from "../engine/consume/worker.ts";
import type { WorkerLimits } from "../engine/admission/worker-slots.ts";
import type { Embedded } from "./embedded.ts";

export const invocationUseCases: InvocationUseCases = {
  inspect: showInvocation,
  cancel,
  kill,
  pause,
  resume,
  purge,
  purgeJournal,
  restart,
};

export interface Loops {
  /** Makes the loops end; the worker takes no more messages from the queue. */
  stop(): void;
  /** Resolves when every loop has ended; never rejects. */
  readonly ended: Promise<void>;
}

/** Starts the recovery and the background loops, which run until `stop`. */
export function startLoops(
  embedded: Pick<Embedded, "engine" | "expire" | "followClock" | "runSchedules">,
  limits: WorkerLimits,
): Loops {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { engine } = embedded;
  const running = [
    embedded.expire(signal),
    embedded.followClock(signal),
    embedded.runSchedules(signal),
    runWorker(engine, signal, limits),
    runSweeper(engine, signal),
    runTopics(engine, signal),
    recover(engine).then((woken) => {
      if (woken > 0) engine.log.write("invocation.continued", { invocations: woken });
    }),
  ];
  return {
    stop: () => stopping.abort(),
    ended: Promise.allSettled(running).then((outcomes) => {
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        engine.log.write("process.loop-failed", { error: String(outcome.reason) });
      }
    }),
  };
}
