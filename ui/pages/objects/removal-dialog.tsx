/** The dialog that removes one value of a state, or all of them. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { askWholeState } from "../../data/key-state.ts";
import type { KeyState, StateEdit } from "../../model/key-state.ts";
import { countText } from "../../model/size-text.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { ProblemBox, Skeleton } from "../../parts/states.tsx";
import { ConflictView } from "./conflict-view.tsx";
import { useStateEdit } from "./state-edit.ts";

export interface RemovalDialogProps {
  readonly service: string;
  readonly objectKey: string;
  readonly edit: StateEdit;
  readonly refresh: () => Promise<void>;
  readonly onClose: () => void;
}

export function RemovalDialog(props: RemovalDialogProps): JSX.Element {
  const [base, setBase] = useState<KeyState>();
  const [problem, setProblem] = useState<ApiProblem>();
  useEffect(() => {
    askWholeState(props.service, props.objectKey).then(setBase, (error: unknown) => setProblem(problemOf(error)));
  }, []);
  if (base !== undefined) return <Removal {...props} base={base} />;
  return (
    <DialogFrame title="Remove" closeWords="Cancel" onClose={props.onClose}>
      {problem === undefined ? <Skeleton /> : <ProblemBox problem={problem} />}
    </DialogFrame>
  );
}

function Removal({ service, objectKey, edit, refresh, onClose, base }: RemovalDialogProps & { base: KeyState }) {
  const { stage, send } = useStateEdit(service, objectKey, base, refresh);
  const isDone = stage.kind === "done";
  return (
    <DialogFrame
      title={edit.kind === "clear" ? "Clear the state" : "Remove a value"}
      closeWords={isDone ? "Close" : "Cancel"}
      onClose={onClose}
      buttons={
        !isDone &&
        stage.kind !== "conflict" && (
          <button type="button" class="danger" disabled={stage.kind === "sending"} onClick={() => void send(edit)}>
            {edit.kind === "clear" ? "Clear" : "Remove"}
          </button>
        )
      }
    >
      {isDone ? (
        <p role="status">{stage.words}</p>
      ) : (
        <p>
          {edit.kind === "remove" ? (
            <>
              The value <ForeignText text={edit.name} class="mono" maxChars={60} /> will be gone.
            </>
          ) : (
            `All ${countText(base.values.size)} values of the key will be gone.`
          )}{" "}
          Handlers then find nothing there. It cannot be undone.
        </p>
      )}
      {stage.kind === "failed" && <ProblemBox problem={stage.problem} />}
      {stage.kind === "conflict" && (
        <ConflictView conflict={stage} onOverwrite={() => void send(stage.edit, stage.present)} onTake={onClose} />
      )}
    </DialogFrame>
  );
}
