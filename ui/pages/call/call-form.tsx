/** The form of one handler: its key, its options, its payload, and the result of the call. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { HandlerBody, ServiceBody } from "../../../shared/api/wire/admin.ts";
import { inputTypeOf, isJsonType } from "../../../shared/api/wire/proposed-call.ts";
import type { CallRequest } from "../../data/calls.ts";
import { notePayload } from "../../data/calls.ts";
import { route } from "../../data/location.ts";
import { readsHaveAPrice } from "../../data/server.ts";
import { bytesOfText } from "../../model/byte-text.ts";
import type { ByteForm } from "../../model/byte-text.ts";
import { firstText, isRun } from "../../model/call-request.ts";
import { handlerTypeText } from "../../model/deployment-text.ts";
import { hrefTo } from "../../model/route.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { CallLines } from "./call-lines.tsx";
import { CallOptions, optionProblem } from "./call-options.tsx";
import type { CallChoices } from "./call-options.tsx";
import { CallResult } from "./call-result.tsx";
import { useCall } from "./call-run.ts";
import { PayloadFields } from "./payload-fields.tsx";

export interface CallFormProps {
  readonly service: ServiceBody;
  readonly handler: HandlerBody;
}

export function CallForm({ service, handler }: CallFormProps): JSX.Element {
  const contentType = inputTypeOf(handler);
  const [choices, setChoices] = useState<CallChoices>(() => ({
    key: route.peek()?.query.get("key") ?? "",
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
