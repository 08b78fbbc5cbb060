/** The call of the form as a line of curl and as lines of the typed client. */
import type { JSX } from "preact";
import type { ServiceBody } from "../../../shared/api/wire/admin.ts";
import { parseDurationMs } from "../../../shared/core/model/duration.ts";
import type { CallRequest } from "../../data/calls.ts";
import { server } from "../../data/server.ts";
import { clientLines, curlLine, UNKNOWN_INGRESS } from "../../model/call-lines.ts";
import type { CallPlan } from "../../model/call-lines.ts";
import { visibleText } from "../../model/visible-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";

export interface CallLinesProps {
  readonly request: CallRequest;
  readonly runsWorkflow: boolean;
  readonly serviceType: ServiceBody["ty"];
}

export function CallLines({ request, runsWorkflow, serviceType }: CallLinesProps): JSX.Element {
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
  const { service, handler, key, isSend, delay, idempotencyKey, contentType, body } = request;
  const delayMs = delay === undefined ? undefined : parseDurationMs(delay);
  return {
    service,
    handler,
    serviceType,
    runsWorkflow,
    isSend,
    ...(key !== undefined && { key }),
    ...(delay !== undefined && { delay }),
    ...(delayMs !== undefined && { delayMs }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(contentType !== undefined && { contentType }),
    ...(body !== undefined && { body }),
  };
}
