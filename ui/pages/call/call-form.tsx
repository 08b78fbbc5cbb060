/** The form of one handler: its key, its options, its payload, and the result of the call. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { HandlerBody, ServiceBody } from "../../../shared/api/contract/services.ts";
import { inputTypeOf, isJsonType } from "../../../shared/api/wire/proposed-call.ts";
import { notePayload, latestInput, pastPayloads, type CallRequest } from "../../data/calls.ts";
import { route } from "../../data/location.ts";
import { readsHaveAPrice, server } from "../../data/api.ts";
import { bytesOfText, type ByteForm } from "../../model/byte-text.ts";
import { firstText, isRun, clientLines, curlLine, UNKNOWN_INGRESS, type CallPlan } from "../../model/call-lines.ts";
import { handlerTypeText } from "../../model/deployment-text.ts";
import { hrefTo } from "../../model/route.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { CallResult } from "./call-result.tsx";
import { useCall } from "./call-run.ts";
import { parseDurationMs } from "../../../shared/core/model/duration.ts";
import { visibleText, shortened, visibleLine } from "../../model/visible-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { prettyJson } from "../../../shared/api/wire/pretty-json.ts";
import { parseExact, stringifyExact } from "../../model/exact-json.ts";
import { problemsOf } from "../../model/schema-value.ts";
import { Editor } from "../../parts/editor.tsx";
import { SchemaInput } from "./schema-input.tsx";

export interface CallFormProps {
  readonly service: ServiceBody;
  readonly handler: HandlerBody;
}

export function CallForm({ service, handler }: CallFormProps): JSX.Element {
  const contentType = inputTypeOf(handler);
  const [choices, setChoices] = useState<CallChoices>(() => ({
    key: route.peek()?.query.get("key") ?? "",
    scope: route.peek()?.query.get("scope") ?? "",
    limitKey: "",
    isSend: false,
    delay: "",
    idempotencyKey: "",
  }));
  const [text, setText] = useState(() => firstText(handler));
  const [form, setForm] = useState<ByteForm>(
    contentType === undefined || isJsonType(contentType) || contentType.startsWith("text/") ? "text" : "hex",
  );
  const { state, call, stop } = useCall();
  const body = contentType === undefined ? undefined : bytesOfText(text, form);
  const problem =
    optionProblem(choices) ??
    (contentType !== undefined && body === undefined ? "The payload is not hexadecimal." : undefined);
  const request = useMemo<CallRequest>(
    () => ({
      service: service.name,
      handler: handler.name,
      key: service.ty === "Service" ? undefined : choices.key,
      scope: choices.scope === "" ? undefined : choices.scope,
      limitKey: choices.limitKey === "" ? undefined : choices.limitKey,
      isSend: choices.isSend,
      delay: choices.delay.trim() === "" ? undefined : choices.delay.trim(),
      idempotencyKey: choices.idempotencyKey === "" ? undefined : choices.idempotencyKey,
      // A handler whose input is optional may refuse an empty body with a content type, so an empty body is sent without one.
      contentType: body === undefined || body.length === 0 ? undefined : contentType,
      body: body === undefined || body.length === 0 ? undefined : body,
    }),
    [service, handler, choices, text, form],
  );
  const send = (): void => {
    if (problem !== undefined) return;
    if (contentType !== undefined) notePayload(`${service.name}/${handler.name}`, text);
    void call(request);
  };
  return (
    <div class="call">
      <Head service={service} handler={handler} />
      <div class="call-columns">
        <div class="fields">
          <CallOptions service={service} handler={handler} choices={choices} onChange={setChoices} />
          <PayloadFields
            service={service}
            handler={handler}
            contentType={contentType}
            text={text}
            form={form}
            onText={setText}
            onForm={setForm}
            onRun={send}
          />
        </div>
        <div class="fields">
          <div class="buttons">
            <button
              type="button"
              class="primary"
              onClick={send}
              disabled={problem !== undefined || state.kind === "running"}
            >
              {choices.isSend ? "Send" : "Call"}
            </button>
            {problem !== undefined && <span class="tone-failed">✕ {problem}</span>}
            {readsHaveAPrice.value && !choices.isSend && (
              <span class="dim">
                The gateway ends a call after 30 s; the invocation goes on. Use Send for a handler that takes longer.
              </span>
            )}
          </div>
          <CallResult state={state} runsWorkflow={isRun(service, handler)} onStop={stop} />
          <CallLines request={request} runsWorkflow={isRun(service, handler)} serviceType={service.ty} />
        </div>
      </div>
    </div>
  );
}

function Head({ service, handler }: CallFormProps): JSX.Element {
  return (
    <>
      <p class="links">
        <a href={hrefTo("services", [service.name], { handler: handler.name })}>
          <ForeignText text={`${service.name}/${handler.name}`} maxChars={80} />
        </a>
        {service.ty !== "Service" && <span class="dim">{handlerTypeText(handler)}</span>}
        {!handler.public && <span class="tone-retrying">! not public: the ingress refuses calls of this handler</span>}
      </p>
      {handler.documentation !== undefined && (
        <p class="documentation">
          <ForeignText text={handler.documentation} maxChars={1_000} />
        </p>
      )}
    </>
  );
}

/** The call of the form as a line of curl and as lines of the typed client. */
interface CallLinesProps {
  readonly request: CallRequest;
  readonly runsWorkflow: boolean;
  readonly serviceType: ServiceBody["ty"];
}

function CallLines({ request, runsWorkflow, serviceType }: CallLinesProps): JSX.Element {
  const ingressUrl = server.value?.ingress_endpoint ?? UNKNOWN_INGRESS;
  const plan = planOf(request, runsWorkflow, serviceType);
  return (
    <>
      <Lines title="curl" text={curlLine(plan, ingressUrl)} />
      <Lines title="TypeScript client" text={clientLines(plan, ingressUrl)} />
    </>
  );
}

function Lines({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <section class="lines-of-code">
      <h3>
        {title} <CopyButton text={text} what={title} />
      </h3>
      <pre class="mono" tabIndex={0} aria-label={title}>
        {visibleText(text)}
      </pre>
    </section>
  );
}

function planOf(request: CallRequest, runsWorkflow: boolean, serviceType: ServiceBody["ty"]): CallPlan {
  const { service, handler, key, scope, limitKey, isSend, delay, idempotencyKey, contentType, body } = request;
  const delayMs = delay === undefined ? undefined : parseDurationMs(delay);
  return {
    service,
    handler,
    serviceType,
    runsWorkflow,
    isSend,
    ...(key !== undefined && { key }),
    ...(scope !== undefined && { scope }),
    ...(limitKey !== undefined && { limitKey }),
    ...(delay !== undefined && { delay }),
    ...(delayMs !== undefined && { delayMs }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(contentType !== undefined && { contentType }),
    ...(body !== undefined && { body }),
  };
}

/** The fields of a call beside its payload: key, scope, limit key, call or send, idempotency key, delay. */
interface CallChoices {
  readonly key: string;
  readonly scope: string;
  readonly limitKey: string;
  readonly isSend: boolean;
  readonly delay: string;
  readonly idempotencyKey: string;
}

interface CallOptionsProps {
  readonly service: ServiceBody;
  readonly handler: HandlerBody;
  readonly choices: CallChoices;
  readonly onChange: (choices: CallChoices) => void;
}

function CallOptions({ service, handler, choices, onChange }: CallOptionsProps): JSX.Element {
  const set = (changes: Partial<CallChoices>): void => onChange({ ...choices, ...changes });
  return (
    <>
      <div class="choices">
        <fieldset class="choices">
          <legend class="visually-hidden">Call or send</legend>
          <label>
            <input type="radio" name="mode" checked={!choices.isSend} onChange={() => set({ isSend: false })} /> Call,
            and wait for the result
          </label>
          <label>
            <input type="radio" name="mode" checked={choices.isSend} onChange={() => set({ isSend: true })} /> Send, and
            wait for nothing
          </label>
        </fieldset>
      </div>
      <div class="option-row">
        {service.ty !== "Service" && (
          <label class="field">
            {service.ty === "Workflow" ? "Workflow id" : "Key"}
            <input type="text" value={choices.key} onInput={({ currentTarget }) => set({ key: currentTarget.value })} />
          </label>
        )}
        <label class="field">
          Scope
          <input
            type="text"
            placeholder="none"
            value={choices.scope}
            onInput={({ currentTarget }) => set({ scope: currentTarget.value })}
          />
        </label>
        {choices.scope !== "" && (
          <label class="field">
            Limit key
            <input
              type="text"
              placeholder="none"
              value={choices.limitKey}
              onInput={({ currentTarget }) => set({ limitKey: currentTarget.value })}
            />
          </label>
        )}
        {!isRun(service, handler) && (
          <label class="field">
            Idempotency key
            <span class="with-button">
              <input
                type="text"
                placeholder="none"
                value={choices.idempotencyKey}
                onInput={({ currentTarget }) => set({ idempotencyKey: currentTarget.value })}
              />
              <button type="button" onClick={() => set({ idempotencyKey: randomKey() })}>
                new
              </button>
            </span>
          </label>
        )}
        {choices.isSend && (
          <label class="field">
            Delay
            <input
              type="text"
              placeholder="none; 10s, 1h 30m"
              value={choices.delay}
              onInput={({ currentTarget }) => set({ delay: currentTarget.value })}
            />
          </label>
        )}
      </div>
    </>
  );
}

/** @returns what is wrong with the options, in words */
function optionProblem({ delay, isSend }: CallChoices): string | undefined {
  const text = delay.trim();
  if (!isSend || text === "" || parseDurationMs(text) !== undefined) return undefined;
  return "The delay is a duration such as 10s, 1h 30m or PT5M.";
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The payload of a call: a form made from the handler's schema, and an editor with the same payload as text. */
interface PayloadFieldsProps {
  readonly service: ServiceBody;
  readonly handler: HandlerBody;
  readonly contentType: string | undefined;
  readonly text: string;
  readonly form: ByteForm;
  readonly onText: (text: string) => void;
  readonly onForm: (form: ByteForm) => void;
  readonly onRun: () => void;
}

function PayloadFields(props: PayloadFieldsProps): JSX.Element {
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
