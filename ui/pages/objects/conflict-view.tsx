/** The conflict of an edit with a state that has changed meanwhile: both values, and a button for each. */
import type { JSX } from "preact";
import { changedNames, type StateEdit, type Values } from "../../model/key-state.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Payload } from "../../parts/payload.tsx";
import type { Conflict } from "./state-edit.ts";

const SHOWN_NAMES = 12;

export interface ConflictViewProps {
  readonly conflict: Conflict;
  /** Makes the edit on the present state. */
  readonly onOverwrite: () => void;
  /** Leaves the present state as it is. */
  readonly onTake: () => void;
}

export function ConflictView({ conflict, onOverwrite, onTake }: ConflictViewProps): JSX.Element {
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
