/** The dialog that edits the options of a service. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { ask } from "../../data/api.ts";
import {
  changeOf,
  durationProblem,
  editsOf,
  OPTIONS,
  type DurationOption,
  type OptionEdits,
  type OptionWords,
} from "../../model/service-options.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";

export interface OptionsDialogProps {
  /** The page reads the service again while the dialog is open, so this value may change. */
  readonly service: ServiceBody;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function OptionsDialog({ service: present, onDone, onClose }: OptionsDialogProps): JSX.Element {
  // The request contains the options whose fields differ from the service as it was when the dialog opened. If the dialog
  // compared the fields with a later state of the service, the request would also undo the change of another operator.
  const [service] = useState(present);
  const [edits, setEdits] = useState<OptionEdits>(() => editsOf(service));
  const shown = OPTIONS.filter(({ option }) => service[option] !== undefined);
  const isValid = shown.every(({ option }) => durationProblem(edits.durations[option] ?? "") === undefined);
  const body = changeOf(service, edits);
  const change = (option: DurationOption, text: string): void =>
    setEdits({ ...edits, durations: { ...edits.durations, [option]: text } });
  return (
    <ConfirmDialog
      title="Edit options"
      verb="Save"
      isReady={isValid && body !== undefined}
      onClose={onClose}
      run={async () => {
        await ask(`services/${encodeURIComponent(service.name)}`, { method: "PATCH", body });
        onDone();
        return (
          <p>
            <span class="tone-succeeded">✓</span> Saved. Attempts that start from now on follow the new options.
          </p>
        );
      }}
    >
      <p class="dim">
        A new revision of the service begins with the options of its code again. Options that a handler sets itself win
        over these.
      </p>
      <div class="fields">
        <label class="check">
          <input
            type="checkbox"
            checked={edits.isPublic}
            onChange={({ currentTarget }) => setEdits({ ...edits, isPublic: currentTarget.checked })}
          />
          <span>
            Public <span class="dim">The ingress takes calls. If this is off, only other services can call it.</span>
          </span>
        </label>
        {shown.map((words) => (
          <DurationField
            key={words.option}
            words={words}
            value={edits.durations[words.option] ?? ""}
            onChange={(text) => change(words.option, text)}
          />
        ))}
      </div>
    </ConfirmDialog>
  );
}

interface DurationFieldProps {
  readonly words: OptionWords;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function DurationField({ words: { option, words, meaning }, value, onChange }: DurationFieldProps): JSX.Element {
  const problem = durationProblem(value);
  return (
    <label class="field">
      {words}
      <input
        type="text"
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${option}-words`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <span id={`${option}-words`} class={problem === undefined ? "dim" : "tone-failed"}>
        {problem === undefined ? meaning : `✕ ${problem}`}
      </span>
    </label>
  );
}
