/** The dialogs that set or remove one value of a state. After a conflicting change, the first shows both values and lets the reader choose. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { problemOf, type ApiProblem } from "../../data/api.ts";
import { askWholeState } from "../../data/key-state.ts";
import { bytesOfText, editableText, formOf, type ByteForm } from "../../model/byte-text.ts";
import type { KeyName } from "../../model/key-name.ts";
import { changedNames, type KeyState, type StateEdit, type Values } from "../../model/key-state.ts";
import { isJson } from "../../../shared/api/wire/pretty-json.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { Editor } from "../../parts/editor.tsx";
import { ProblemBox, Skeleton } from "../../parts/states.tsx";
import { useStateEdit, type Conflict } from "./state-edit.ts";
import { countText } from "../../model/size-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Payload } from "../../parts/payload.tsx";

export interface EditDialogProps {
  readonly named: KeyName;
  /** Undefined for a new value. */
  readonly name: string | undefined;
  readonly refresh: () => Promise<void>;
  readonly onClose: () => void;
}

export function EditDialog(props: EditDialogProps): JSX.Element {
  const [base, setBase] = useState<KeyState>();
  const [problem, setProblem] = useState<ApiProblem>();
  useEffect(() => {
    // The values and their version are read together, so that the edit names the version that the user saw.
    askWholeState(props.named).then(setBase, (error: unknown) => setProblem(problemOf(error)));
  }, []);
  if (base !== undefined) return <ValueEditor {...props} base={base} />;
  return (
    <DialogFrame title="Edit the state" closeWords="Cancel" onClose={props.onClose}>
      {problem === undefined ? <Skeleton /> : <ProblemBox problem={problem} />}
    </DialogFrame>
  );
}

function ValueEditor({ named, name, refresh, onClose, base }: EditDialogProps & { base: KeyState }) {
  const before = name === undefined ? undefined : base.values.get(name);
  const [newName, setNewName] = useState(name ?? "");
  const [form, setForm] = useState<ByteForm>(before === undefined ? "text" : formOf(before));
  const [text, setText] = useState(() => (before === undefined ? "" : editableText(before, formOf(before))));
  const { stage, send } = useStateEdit(named, base, refresh);
  const bytes = bytesOfText(text, form);
  const save = (): void => {
    if (bytes !== undefined) void send({ kind: "set", name: newName, bytes });
  };
  const isDone = stage.kind === "done";
  return (
    <DialogFrame
      title={name === undefined ? "Add a value" : "Edit a value"}
      closeWords={isDone ? "Close" : "Cancel"}
      onClose={onClose}
      buttons={
        !isDone &&
        stage.kind !== "conflict" && (
          <button
            type="button"
            class="primary"
            disabled={bytes === undefined || stage.kind === "sending"}
            onClick={save}
          >
            Save
          </button>
        )
      }
    >
      {isDone ? (
        <p role="status">{stage.words}</p>
      ) : (
        <div class="fields">
          <label class="field">
            Name
            <input
              type="text"
              class="mono"
              value={newName}
              readOnly={name !== undefined}
              onInput={({ currentTarget }) => setNewName(currentTarget.value)}
            />
          </label>
          <FormChoice form={form} bytes={bytes} onChange={(next, shown) => (setForm(next), setText(shown))} />
          <Editor
            language={form === "text" ? "json" : "text"}
            label="Value"
            value={text}
            onChange={setText}
            onRun={save}
          />
          <Hint form={form} text={text} isNew={name === undefined} hasName={base.values.has(newName)} />
        </div>
      )}
      {stage.kind === "failed" && <ProblemBox problem={stage.problem} />}
      {stage.kind === "conflict" && (
        <ConflictView conflict={stage} onOverwrite={() => void send(stage.edit, stage.present)} onTake={onClose} />
      )}
    </DialogFrame>
  );
}

interface FormChoiceProps {
  readonly form: ByteForm;
  readonly bytes: Uint8Array | undefined;
  readonly onChange: (form: ByteForm, text: string) => void;
}

/** Bytes that are no UTF-8 cannot be shown as text without loss. */
function FormChoice({ form, bytes, onChange }: FormChoiceProps): JSX.Element {
  const isTextual = bytes === undefined || formOf(bytes) === "text";
  const forms: readonly ByteForm[] = ["text", "hex"];
  return (
    <fieldset class="choices">
      <legend class="visually-hidden">Form of the value</legend>
      {forms.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="form"
            checked={form === one}
            disabled={bytes === undefined || (one === "text" && !isTextual)}
            onChange={() => onChange(one, editableText(bytes ?? new Uint8Array(), one))}
          />{" "}
          {one === "text" ? "JSON or text" : "bytes, hexadecimal"}
        </label>
      ))}
    </fieldset>
  );
}

interface HintProps {
  readonly form: ByteForm;
  readonly text: string;
  readonly isNew: boolean;
  readonly hasName: boolean;
}

function Hint({ form, text, isNew, hasName }: HintProps): JSX.Element {
  const isWrongHex = form === "hex" && bytesOfText(text, form) === undefined;
  if (isWrongHex) return <p class="tone-failed">✕ The text is not hexadecimal: two digits make a byte.</p>;
  return (
    <p class="dim">
      {isNew && hasName && "A value of this name exists and will be replaced. "}
      {form === "text" && !isJson(text) && "The text is no JSON. Most handlers read their state as JSON. "}
      The change waits for its turn behind the holder of the key, and applies only if the state is still the one that
      you see.
    </p>
  );
}

/** The dialog that removes one value of a state, or all of them. */
interface RemovalDialogProps {
  readonly named: KeyName;
  readonly edit: StateEdit;
  readonly refresh: () => Promise<void>;
  readonly onClose: () => void;
}

export function RemovalDialog(props: RemovalDialogProps): JSX.Element {
  const [base, setBase] = useState<KeyState>();
  const [problem, setProblem] = useState<ApiProblem>();
  useEffect(() => {
    askWholeState(props.named).then(setBase, (error: unknown) => setProblem(problemOf(error)));
  }, []);
  if (base !== undefined) return <Removal {...props} base={base} />;
  return (
    <DialogFrame title="Remove" closeWords="Cancel" onClose={props.onClose}>
      {problem === undefined ? <Skeleton /> : <ProblemBox problem={problem} />}
    </DialogFrame>
  );
}

function Removal({ named, edit, refresh, onClose, base }: RemovalDialogProps & { base: KeyState }) {
  const { stage, send } = useStateEdit(named, base, refresh);
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

const SHOWN_NAMES = 12;

/** The conflict of an edit with a state that has changed meanwhile: both values, and a button for each. */
interface ConflictViewProps {
  readonly conflict: Conflict;
  /** Makes the edit on the present state. */
  readonly onOverwrite: () => void;
  /** Leaves the present state as it is. */
  readonly onTake: () => void;
}

function ConflictView({ conflict, onOverwrite, onTake }: ConflictViewProps): JSX.Element {
  const { edit, base, present } = conflict;
  const changed = changedNames(base.values, present.values);
  return (
    <div class="problem" role="alert">
      <strong>The state has changed since you opened it</strong>
      <p>
        Changed meanwhile:{" "}
        {changed.slice(0, SHOWN_NAMES).map((name) => (
          <span key={name} class="service-name mono">
            <ForeignText text={name} maxChars={40} />
          </span>
        ))}
        {changed.length > SHOWN_NAMES && `and ${changed.length - SHOWN_NAMES} more`}
      </p>
      {edit.kind !== "clear" && (
        <div class="two">
          <section>
            <h3>Present</h3>
            <Side name={edit.name} values={present.values} />
          </section>
          <section>
            <h3>Yours</h3>
            <Side name={edit.name} values={yours(edit)} />
          </section>
        </div>
      )}
      <p class="dim">Your change concerns this value alone; the other values stay as they are at present.</p>
      <div class="buttons">
        <button type="button" onClick={onTake}>
          Keep the present one
        </button>
        <button type="button" class="danger" onClick={onOverwrite}>
          Make my change all the same
        </button>
      </div>
    </div>
  );
}

function yours(edit: StateEdit): Values {
  return edit.kind === "set" ? new Map([[edit.name, edit.bytes]]) : new Map();
}

function Side({ name, values }: { readonly name: string; readonly values: Values }): JSX.Element {
  const bytes = values.get(name);
  return bytes === undefined ? <p class="dim">no such value</p> : <Payload content={bytes} fileName={`${name}.bin`} />;
}
