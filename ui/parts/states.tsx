/** The states of a page that has nothing to show: loading, failed, empty. A failed load never looks like an empty result. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiProblem } from "../data/api.ts";
import type { Loaded } from "../data/polled.ts";
import { visibleText } from "../model/visible-text.ts";

const SKELETON_AFTER_MS = 150;

export interface LoadedViewProps<Value> {
  readonly loaded: Loaded<Value>;
  readonly onRetry: () => void;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows the last value, with the problem of a later load above it. */
export function LoadedView<Value>({ loaded, onRetry, children }: LoadedViewProps<Value>): JSX.Element {
  const { value, problem } = loaded;
  return (
    <>
      {problem !== undefined && <ProblemBox problem={problem} onRetry={onRetry} isStale={value !== undefined} />}
      {value !== undefined ? children(value) : problem === undefined && <Skeleton />}
    </>
  );
}

export interface ProblemBoxProps {
  readonly problem: ApiProblem;
  readonly onRetry?: () => void;
  /** True if facts of an earlier load are shown below the problem. */
  readonly isStale?: boolean;
}

export function ProblemBox({ problem, onRetry, isStale = false }: ProblemBoxProps): JSX.Element {
  const { status, code, message } = problem;
  const words = [status === 0 ? "No answer" : `Status ${status}`, code].filter((word) => word !== undefined);
  return (
    <div class="problem" role="alert">
      <strong>{words.join(" · ")}</strong>
      <p>{visibleText(message)}</p>
      {isStale && <p class="dim">The facts below are those of an earlier answer.</p>}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Appears late, so that a fast answer does not flicker. */
export function Skeleton(): JSX.Element {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {isLate && [0, 1, 2, 3].map((row) => <div key={row} />)}
    </div>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}
