/**
 * The dialog that removes a deployment: it shows the invocations that prevent the removal, and offers force as a
 * separate choice.
 */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type ApiProblem, ask, problemOf } from "../../data/api.ts";
import type { DeploymentBody } from "../../../shared/api/contract/deployments.ts";
import { addressOf } from "../../model/deployment-text.ts";
import { hrefTo } from "../../model/route.ts";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Check } from "./register-fields.tsx";

const IN_USE = 409;

export interface RemoveDialogProps {
  readonly deployment: DeploymentBody;
  readonly onClose: (isRemoved: boolean) => void;
}

export function RemoveDialog({ deployment, onClose }: RemoveDialogProps): JSX.Element {
  const [stage, setStage] = useState<"asking" | "running" | "done">("asking");
  const [problem, setProblem] = useState<ApiProblem>();
  const [isForced, setForced] = useState(false);
  const remove = async (): Promise<void> => {
    setStage("running");
    try {
      const path = `deployments/${encodeURIComponent(deployment.id)}`;
      await ask(isForced ? `${path}?force=true` : path, { method: "DELETE" });
      setStage("done");
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
      setStage("asking");
    }
  };
  const isInUse = problem?.status === IN_USE;
  return (
    <DialogFrame
      title="Remove the deployment"
      closeWords={stage === "done" ? "Close" : "Cancel"}
      onClose={() => onClose(stage === "done")}
      buttons={
        stage !== "done" && (
          <button
            type="button"
            class="danger"
            disabled={stage === "running" || (isInUse && !isForced)}
            onClick={() => void remove()}
          >
            {isForced ? "Remove with force" : "Remove"}
          </button>
        )
      }
    >
      {stage === "done" ? (
        <p role="status">
          <span class="tone-succeeded">✓</span> Removed.
        </p>
      ) : (
        <Consequence deployment={deployment} />
      )}
      {problem !== undefined && (
        <CodedProblem problem={problem}>{isInUse && <Blockers deployment={deployment} />}</CodedProblem>
      )}
      {isInUse && stage !== "done" && (
        <Check
          words="Remove it all the same"
          why="The invocations that need it then fail with RT0011 at each attempt, until they are resumed on another deployment or cancelled. Nothing of their journals is lost."
          isOn={isForced}
          onChange={setForced}
        />
      )}
    </DialogFrame>
  );
}

function Consequence({ deployment }: { readonly deployment: DeploymentBody }): JSX.Element {
  const { status, services } = deployment;
  return (
    <>
      <p>
        <ForeignText text={addressOf(deployment)} maxChars={100} class="mono" />
      </p>
      <p>
        {status === "active"
          ? `The server forgets the address. Those of its ${services.length} services that no other deployment serves can then no longer be called.`
          : "The server forgets the address. New invocations go elsewhere already."}{" "}
        Where an open invocation still needs the deployment, the removal is refused.
      </p>
    </>
  );
}

function Blockers({ deployment: { id, services } }: { readonly deployment: DeploymentBody }): JSX.Element {
  return (
    <ul class="lines">
      <li>
        <a href={hrefTo("invocations", [], { deployment: id, status: "open" })}>
          The open invocations that are pinned here
        </a>
      </li>
      <li>
        <a href={hrefTo("invocations", [], { service: services.map(({ name }) => name).join(","), status: "open" })}>
          All open invocations of its services
        </a>
      </li>
    </ul>
  );
}
