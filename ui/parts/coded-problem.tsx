/** A failed change with the remedy for its error code, and the buttons that apply the remedy in place. */
import type { ComponentChildren, JSX } from "preact";
import { remedyOf } from "../../shared/api/wire/remedies.ts";
import type { ApiProblem } from "../data/api.ts";
import { visibleText } from "../model/visible-text.ts";

export interface CodedProblemProps {
  readonly problem: ApiProblem;
  /** Buttons that mend the cause. */
  readonly children?: ComponentChildren;
}

export function CodedProblem({ problem, children }: CodedProblemProps): JSX.Element {
  const { status, code, message } = problem;
  const remedy = code === undefined ? undefined : remedyOf(code);
  // The message of a coded error begins with its code, which the heading already shows.
  const words = code !== undefined && message.startsWith(`[${code}] `) ? message.slice(code.length + 3) : message;
  return (
    <div class="problem" role="alert">
      <strong>{code ?? (status === 0 ? "No answer" : `Status ${status}`)}</strong>
      <p>{visibleText(words)}</p>
      {remedy !== undefined && (
        <p>
          <b>What to do: </b>
          {remedy.remedy}
        </p>
      )}
      {children}
    </div>
  );
}
