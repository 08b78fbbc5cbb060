/** The payload of a call: a form made from the handler's schema, and an editor with the same payload as text. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { HandlerBody, ServiceBody } from "../../../shared/api/contract/services.ts";
import { isJsonType } from "../../../shared/api/wire/proposed-call.ts";
import { prettyJson } from "../../../shared/api/wire/pretty-json.ts";
import { latestInput, pastPayloads } from "../../data/calls.ts";
import type { ByteForm } from "../../model/byte-text.ts";
import { firstText } from "../../model/call-request.ts";
import { parseExact, stringifyExact } from "../../model/exact-json.ts";
import { problemsOf } from "../../model/schema-value.ts";
import { shortened, visibleLine } from "../../model/visible-text.ts";
import { Editor } from "../../parts/editor.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { SchemaInput } from "./schema-input.tsx";

export interface PayloadFieldsProps {
  readonly service: ServiceBody;
  readonly handler: HandlerBody;
  readonly contentType: string | undefined;
  readonly text: string;
  readonly form: ByteForm;
  readonly onText: (text: string) => void;
  readonly onForm: (form: ByteForm) => void;
  readonly onRun: () => void;
}

export function PayloadFields(props: PayloadFieldsProps): JSX.Element {
  const { handler, contentType, text, form, onText, onForm, onRun } = props;
  const schema = handler.input_json_schema;
  const isJson = isJsonType(contentType);
  const parsed = useMemo(() => (isJson ? parsedText(text) : undefined), [isJson, text]);
  if (contentType === undefined) return <p class="dim">The handler takes no payload.</p>;
  return (
    <>
      <div class="bar payload-bar">
        <h2>
          Payload <span class="dim kind">{contentType}</span>
        </h2>
        <Sources {...props} />
      </div>
      {schema !== undefined && parsed?.isValid === true && (
        <div class="schema-form" role="group" aria-label="Form of the payload">
          <SchemaInput
            schema={schema}
            root={schema}
            value={parsed.value}
            label="Payload"
            depth={0}
            onChange={(value) => onText(value === undefined ? "" : stringifyExact(value))}
          />
        </div>
      )}
      {schema !== undefined && parsed?.isValid === false && text.trim() !== "" && (
        <p class="dim">The text below is no JSON yet. The form follows the text again once it is JSON.</p>
      )}
      {!isJson && (
        <fieldset class="choices">
          <legend class="visually-hidden">Form of the payload</legend>
          {(["text", "hex"] as const).map((one) => (
            <label key={one}>
              <input type="radio" name="payload-form" checked={form === one} onChange={() => onForm(one)} />{" "}
              {one === "text" ? "text" : "bytes, hexadecimal"}
            </label>
          ))}
        </fieldset>
      )}
      <Editor
        language={isJson ? "json" : "text"}
        label={isJson ? "Payload as JSON" : "Payload"}
        value={text}
        onChange={onText}
        onRun={onRun}
      />
      {isJson && parsed?.isValid === false && text.trim() !== "" && <p class="tone-failed">✕ {parsed.why}</p>}
      {schema !== undefined && parsed?.isValid === true && <Advice value={parsed.value} schema={schema} />}
    </>
  );
}

type Parsed = { readonly isValid: true; readonly value: unknown } | { readonly isValid: false; readonly why: string };

function parsedText(text: string): Parsed {
  try {
    return { isValid: true, value: parseExact(text) };
  } catch (error) {
    return { isValid: false, why: `No JSON: ${(error as Error).message}` };
  }
}

/** Shows where the payload does not match the schema. This is advice only: the handler decides what it accepts. */
function Advice({ value, schema }: { readonly value: unknown; readonly schema: unknown }): JSX.Element | null {
  const problems = problemsOf(value, schema);
  if (problems.length === 0) return null;
  return (
    <ul class="lines tone-retrying" aria-label="Advice of the schema">
      {problems.map(({ path, words }) => (
        <li key={path}>
          ! <ForeignText text={path === "" ? "The payload" : path} maxChars={60} class="mono" /> {words}
        </li>
      ))}
    </ul>
  );
}

/** The sources of a payload: the schema, the latest invocation, the last calls of this tab. */
function Sources({ service, handler, onText }: PayloadFieldsProps): JSX.Element {
  const [note, setNote] = useState("");
  const target = `${service.name}/${handler.name}`;
  const take = async (): Promise<void> => {
    setNote("looking …");
    try {
      const input = await latestInput(service.name, handler.name);
      setNote(input.kind === "none" ? input.why : "");
      if (input.kind === "input") onText(prettyJson(input.text));
    } catch (error) {
      setNote(`not read: ${visibleLine((error as Error).message)}`);
    }
  };
  const past = pastPayloads.value;
  return (
    <span class="buttons">
      <button type="button" class="quiet" onClick={() => onText(firstText(handler))}>
        sample
      </button>
      <button type="button" class="quiet" onClick={() => void take()}>
        input of the latest invocation
      </button>
      {past.length > 0 && (
        <label>
          <span class="visually-hidden">Last payloads of this tab</span>
          <select
            value=""
            onChange={({ currentTarget }) => {
              const chosen = past[Number(currentTarget.value)];
              currentTarget.value = "";
              if (chosen !== undefined) onText(chosen.text);
            }}
          >
            <option value="">last payloads …</option>
            {past.map((one, at) => (
              <option key={one.atMs} value={at}>
                {one.target === target ? "" : `${shortened(visibleLine(one.target), 30)}: `}
                {shortened(visibleLine(one.text.replaceAll(/\s+/g, " ")), 60)}
              </option>
            ))}
          </select>
        </label>
      )}
      <span class="dim" role="status">
        {note}
      </span>
    </span>
  );
}
