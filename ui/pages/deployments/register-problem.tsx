/** The reason of a refused registration with its remedy and, for some codes, a button that applies the remedy. */
import type { JSX } from "preact";
import type { ApiProblem } from "../../data/api.ts";
import type { RegisterForm } from "../../model/register-form.ts";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";

export interface RegisterProblemProps {
  readonly problem: ApiProblem;
  /** Changes the form and checks again. */
  readonly onMend?: (changes: Partial<RegisterForm>) => void;
}

interface Mending {
  readonly words: string;
  readonly changes: Partial<RegisterForm>;
}

const MENDINGS: Readonly<Record<string, Mending>> = {
  META0014: { words: "Use HTTP/1.1 and look again", changes: { useHttp11: true } },
  META0006: { words: "Allow breaking changes and look again", changes: { breaking: true } },
  META0004: { words: "Replace that deployment and look again", changes: { force: true } },
};
const DEPLOYMENT_IDS = /\bdp_[0-9A-Za-z]{10,60}/g;

export function RegisterProblem({ problem, onMend }: RegisterProblemProps): JSX.Element {
  const mending = problem.code === undefined ? undefined : MENDINGS[problem.code];
  const ids = [...new Set(problem.message.match(DEPLOYMENT_IDS))];
  return (
    <CodedProblem problem={problem}>
      {ids.length > 0 && (
        <p>
          {ids.map((id) => (
            <span key={id}>
              <DeploymentLink id={id} whole />{" "}
            </span>
          ))}
        </p>
      )}
      {mending !== undefined && onMend !== undefined && (
        <button type="button" onClick={() => onMend(mending.changes)}>
          {mending.words}
        </button>
      )}
    </CodedProblem>
  );
}
