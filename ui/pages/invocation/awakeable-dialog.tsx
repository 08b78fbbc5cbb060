/** The dialog that completes an awakeable with a JSON value, or with the message of a failure. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isJson } from "../../../shared/api/wire/pretty-json.ts";
import { ask } from "../../data/api.ts";
import { quoted } from "../../model/shell-text.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";

export interface AwakeableDialogProps {
  readonly id: string;
  readonly outcome: "resolve" | "reject";
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}

export function AwakeableDialog({ id, outcome, onChange, onClose }: AwakeableDialogProps): JSX.Element {
  const isResolve = outcome === "resolve";
  const [text, setText] = useState(isResolve ? "null" : "");
  const isFit = isResolve ? isJson(text) : text.trim() !== "";
  const option = isResolve ? "--data" : "--reason";
  const line = `stepwell awakeable ${outcome} ${quoted(id)} ${option} ${quoted(text)}`;
  const run = async (): Promise<string> => {
    await ask(`internal/awakeables/${encodeURIComponent(id)}/${outcome}`, {
      method: "POST",
      raw: text,
      headers: {
        "x-requested-with": "ui",
        "content-type": isResolve ? "application/json" : "text/plain; charset=utf-8",
      },
    });
    await onChange();
    return "The server accepted the result. If the awakeable has a result already, that one stays.";
  };
  return (
    <ConfirmDialog
      title={isResolve ? "Resolve the awakeable?" : "Reject the awakeable?"}
      verb={isResolve ? "Resolve" : "Reject"}
      isDangerous={!isResolve}
      isReady={isFit}
      run={run}
      onClose={onClose}
    >
      <p class="mono break">{id}</p>
      <p>
        {isResolve
          ? "The handler goes on with this value. The value stays in the journal and cannot be changed later."
          : "The handler gets a terminal failure with this message. The failure stays in the journal and cannot be changed later."}
      </p>
      <label class="field">
        {isResolve ? "Value, as JSON" : "Message of the failure"}
        <textarea
          rows={5}
          value={text}
          aria-invalid={!isFit}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {!isFit && <p class="tone-failed">{isResolve ? "This is no JSON yet." : "A failure needs a message."}</p>}
      <p class="cli-line">
        <code class="mono break">{line}</code>
        <CopyButton text={line} what="CLI line" />
      </p>
    </ConfirmDialog>
  );
}
