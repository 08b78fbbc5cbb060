/** One call at a time: its time so far, its answer, and the reader's wish not to wait any longer. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { InvocationSummaryBody } from "../../../shared/api/contract/invocations.ts";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { callHandler, openSince, type CallAnswer, type CallRequest } from "../../data/calls.ts";
import { peekNowMs } from "../../data/clock.ts";

const TICK_MS = 1_000;
/** A call that takes longer is shown with the invocations that it may have begun. */
const LOOK_AFTER_MS = 2_000;
const LOOK_EVERY_TICKS = 5;
/** A request that is aborted early may have reached the server, and its invocation may begin only after the first look. */
const LOOKS_AFTER_STOP = 3;
const LOOK_AGAIN_MS = 1_000;

export type CallState =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly forMs: number; readonly begun: Begun }
  /** `isLooking` is false once invocations were found, or after the last look. */
  | { readonly kind: "left"; readonly begun: Begun; readonly isLooking: boolean }
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
  const leave = (): void => {
    stop();
    running.current = undefined;
  };
  useEffect(() => leave, []);
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
      const answer = await callHandler(request, aborter.signal).finally(() => clearInterval(tick));
      if (answer.invocationId === undefined && answer.status >= 500) await look();
      show({ kind: "answered", request, answer, begun });
    } catch (error) {
      if (!aborter.signal.aborted) {
        await look();
        show({ kind: "failed", problem: problemOf(error), begun });
        return;
      }
      for (let left = LOOKS_AFTER_STOP; left > 0 && running.current === aborter; left--) {
        await look();
        const isLooking = begun.length === 0 && left > 1;
        show({ kind: "left", begun, isLooking });
        if (!isLooking) return;
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      }
    }
  };
  return { state, call, stop };
}
