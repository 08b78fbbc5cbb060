/** A dialog that asks before a change. When the change is done, the dialog shows the result in place of the question. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../data/api.ts";
import { ProblemBox } from "./states.tsx";

export interface ConfirmDialogProps {
  readonly title: string;
  /** The consequences of the change. */
  readonly children?: ComponentChildren;
  /** The words of the button that makes the change. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** The button stays off until this holds. */
  readonly isReady?: boolean;
  /** @returns the result in words */
  readonly run: () => Promise<ComponentChildren>;
  readonly onClose: () => void;
}

type Stage = { readonly kind: "asking" | "running" } | { readonly kind: "done"; readonly words: ComponentChildren };

export function ConfirmDialog(props: ConfirmDialogProps): JSX.Element {
  const { title, children, verb, isDangerous = false, isReady = true, run, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [stage, setStage] = useState<Stage>({ kind: "asking" });
  const [problem, setProblem] = useState<ApiProblem>();
  useEffect(() => dialog.current?.showModal(), []);
  const act = async (): Promise<void> => {
    setStage({ kind: "running" });
    setProblem(undefined);
    try {
      setStage({ kind: "done", words: await run() });
    } catch (error) {
      setProblem(problemOf(error));
      setStage({ kind: "asking" });
    }
  };
  return (
    <dialog ref={dialog} class="dialog" aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {stage.kind === "done" ? <div role="status">{stage.words}</div> : children}
      {problem !== undefined && <ProblemBox problem={problem} />}
      <div class="buttons">
        {stage.kind !== "done" && (
          <button
            type="button"
            class={isDangerous ? "danger" : "primary"}
            disabled={!isReady || stage.kind === "running"}
            onClick={() => void act()}
          >
            {stage.kind === "running" ? `${verb} …` : verb}
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {stage.kind === "done" ? "Close" : "Cancel"}
        </button>
      </div>
    </dialog>
  );
}
