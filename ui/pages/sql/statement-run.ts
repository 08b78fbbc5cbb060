/**
 * Runs one statement at a time. The state shows for how long the statement has run, and then its answer. The reader can stop
 * the run.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { noteStatement, runStatement } from "../../data/statements.ts";
import type { StatementAnswer } from "../../model/sql-answer.ts";

const TICK_MS = 1_000;

export type RunState = { readonly statement: string } & (
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly forMs: number }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly problem: ApiProblem; readonly tookMs: number }
  | { readonly kind: "done"; readonly answer: StatementAnswer; readonly tookMs: number; readonly ranAtMs: number }
);

export interface StatementRun {
  readonly state: RunState;
  readonly run: (statement: string) => Promise<void>;
  readonly stop: () => void;
}

export function useStatementRun(): StatementRun {
  const [state, setState] = useState<RunState>({ kind: "idle", statement: "" });
  const running = useRef<AbortController>();
  const stop = (): void => running.current?.abort();
  useEffect(() => stop, []);
  const run = async (statement: string): Promise<void> => {
    stop();
    const aborter = new AbortController();
    running.current = aborter;
    const startedMs = performance.now();
    const tookMs = (): number => performance.now() - startedMs;
    const show = (next: RunState): void => {
      if (running.current === aborter) setState(next);
    };
    show({ kind: "running", statement, forMs: 0 });
    const tick = setInterval(() => show({ kind: "running", statement, forMs: tookMs() }), TICK_MS);
    noteStatement(statement);
    try {
      const answer = await runStatement(statement, aborter.signal);
      show({ kind: "done", statement, answer, tookMs: tookMs(), ranAtMs: startedMs });
    } catch (error) {
      if (aborter.signal.aborted) show({ kind: "stopped", statement });
      else show({ kind: "failed", statement, problem: problemOf(error), tookMs: tookMs() });
    } finally {
      clearInterval(tick);
    }
  };
  return { state, run, stop };
}
