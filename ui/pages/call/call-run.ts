/** One call at a time: its time so far, its answer, and the reader's wish not to wait any longer. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { InvocationSummaryBody } from "../../../shared/api/wire/invocation.ts";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { callHandler, openSince } from "../../data/calls.ts";
import type { CallAnswer, CallRequest } from "../../data/calls.ts";
import { peekNowMs } from "../../data/clock.ts";

const TICK_MS = 1_000;
/** A call that takes longer is shown with the invocations that it may have begun. */
const LOOK_AFTER_MS = 2_000;
const LOOK_EVERY_TICKS = 5;

export type CallState =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly forMs: number; readonly begun: Begun }
  | { readonly kind: "left"; readonly begun: Begun }
  | { readonly kind: "failed"; readonly problem: ApiProblem; readonly begun: Begun }
  | { readonly kind: "answered"; readonly request: CallRequest; readonly answer: CallAnswer; readonly begun: Begun };

/** Open invocations of the handler that began with the call or after it. */
export type Begun = readonly InvocationSummaryBody[];

export interface CallRun {
  readonly state: CallState;
  readonly call: (request: CallRequest) => Promise<void>;
  readonly stop: () => void;
}

export function useCall(): CallRun {
  const [state, setState] = useState<CallState>({ kind: "idle" });
  const running = useRef<AbortController>();
  const stop = (): void => running.current?.abort();
  useEffect(() => stop, []);
  const call = async (request: CallRequest): Promise<void> => {
    stop();
    const aborter = new AbortController();
    running.current = aborter;
    const [startedMs, startedAtMs] = [performance.now(), peekNowMs()];
    let begun: Begun = [];
    const look = async (): Promise<void> => {
      begun = await openSince(request, startedAtMs).catch(() => begun);
    };
    const show = (next: CallState): void => {
      if (running.current === aborter) setState(next);
    };
    show({ kind: "running", forMs: 0, begun });
    let ticks = 0;
    const tick = setInterval(() => {
      const forMs = performance.now() - startedMs;
      if (forMs >= LOOK_AFTER_MS && ticks++ % LOOK_EVERY_TICKS === 0) void look();
      show({ kind: "running", forMs, begun });
    }, TICK_MS);
    try {
      const answer = await callHandler(request, aborter.signal);
      if (answer.invocationId === undefined && answer.status >= 500) await look();
      show({ kind: "answered", request, answer, begun });
    } catch (error) {
      await look();
      if (aborter.signal.aborted) show({ kind: "left", begun });
      else
        show({
          kind: "failed",
          problem: problemOf(error),
          begun,
        });
    } finally {
      clearInterval(tick);
    }
  };
  return { state, call, stop };
}
