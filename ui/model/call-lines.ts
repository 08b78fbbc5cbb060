/** One call, or the call that does an invocation again, as a line of curl and as a statement of the typed client. */
import type { ServiceBody, HandlerBody } from "../../shared/api/contract/services.ts";
import { curlParts, inputTypeOf, sampleInput } from "../../shared/api/wire/proposed-call.ts";
import { isJson, utf8Text } from "../../shared/api/wire/pretty-json.ts";
import type { InvocationBody, ValueBody } from "../../shared/api/contract/invocations.ts";
import { bytesOfBase64 } from "./payload-text.ts";
import { stringifyExact } from "./exact-json.ts";

export interface CallPlan {
  readonly service: string;
  readonly serviceType: ServiceBody["ty"];
  readonly handler: string;
  /** True for the handler that runs a workflow. */
  readonly runsWorkflow: boolean;
  /** Present if the service has keys. */
  readonly key?: string;
  readonly scope?: string;
  readonly limitKey?: string;
  readonly isSend: boolean;
  /** The delay of a send, such as `10s`. */
  readonly delay?: string;
  readonly delayMs?: number;
  readonly idempotencyKey?: string;
  /** Absent if the handler takes no body. */
  readonly contentType?: string;
  readonly body?: Uint8Array;
  /** True if `body` is only the beginning; the lines then read the body from a file. */
  readonly isBodyCut?: boolean;
}

/** The address in the lines if the server does not name its ingress. The reader of the page replaces it by the real address. */
export const UNKNOWN_INGRESS = "https://INGRESS";

/** Longer bodies would make the line unreadable; the line then reads the body from a file. */
const LINE_BODY_MAX = 4_000;
const NAME = /^[A-Za-z_$][\w$]*$/;

export function curlLine(plan: CallPlan, ingressUrl: string): string {
  const { serviceType: _, runsWorkflow: _runs, delayMs: _delay, body, isBodyCut = false, ...call } = plan;
  const text = body === undefined || isBodyCut ? undefined : utf8Text(body);
  const parts = curlParts(
    { ...call, hasBody: body !== undefined, ...(text !== undefined && { body: text }) },
    ingressUrl,
  );
  return parts.join(" \\\n  ");
}

/**
 * The call with `@restatedev/restate-sdk-clients`; the lines refer to the service by a type that the reader imports
 * from the code of the deployment.
 */
export function clientLines(plan: CallPlan, ingressUrl: string): string {
  const { service, handler, isSend, runsWorkflow } = plan;
  const isSubmit = runsWorkflow && isSend;
  const method = isSubmit ? "workflowSubmit" : handler;
  const call = NAME.test(method) ? `.${method}` : `[${JSON.stringify(method)}]`;
  const args = [inputText(plan), optionsText(plan)].filter((text) => text !== undefined);
  if (plan.serviceType === "Workflow" && isSend && !runsWorkflow) return genericSend(plan, ingressUrl);
  const client = `${clientMethod(plan)}<${typeName(service)}>({ name: ${JSON.stringify(service)} }${keyText(plan)})`;
  // The typed client offers no call of the handler `run`, only its submission and its attachment.
  if (runsWorkflow && !isSend && plan.scope !== undefined) {
    // In a scope, the typed client attaches to the workflow of this key that is in none.
    const connected = `clients.connect({ url: ${JSON.stringify(ingressUrl)} })`;
    return [
      ...opening(ingressUrl, plan.scope),
      `const workflow = ingress.${client};`,
      `const sent = await workflow.workflowSubmit(${args.join(", ")});`,
      `const result = await ${connected}.result(sent);`,
    ].join("\n");
  }
  if (runsWorkflow && !isSend) {
    return [
      ...opening(ingressUrl, plan.scope),
      `const workflow = ingress.${client};`,
      `await workflow.workflowSubmit(${args.join(", ")});`,
      "const result = await workflow.workflowAttach();",
    ].join("\n");
  }
  return [
    ...opening(ingressUrl, plan.scope),
    `const ${isSend ? "sent" : "result"} = await ingress`,
    `  .${client}`,
    `  ${call}(${args.join(", ")});`,
  ].join("\n");
}

/** The typed client has no way to send to another handler of a workflow than `run`. */
function genericSend(plan: CallPlan, ingressUrl: string): string {
  const options = optionsText(plan);
  const members = [
    `service: ${JSON.stringify(plan.service)}`,
    `handler: ${JSON.stringify(plan.handler)}`,
    `key: ${JSON.stringify(plan.key ?? "")}`,
    ...(plan.scope === undefined ? [] : [`scope: ${JSON.stringify(plan.scope)}`]),
    `parameter: ${inputText(plan) ?? "undefined"}`,
    ...(options === undefined ? [] : [`opts: ${options}`]),
  ];
  return [...opening(ingressUrl), `const sent = await ingress.send({ ${members.join(", ")} });`].join("\n");
}

function opening(ingressUrl: string, scope?: string): readonly string[] {
  const inScope = scope === undefined ? "" : `.scope(${JSON.stringify(scope)})`;
  return [
    'import * as clients from "@restatedev/restate-sdk-clients";',
    "",
    `const ingress = clients.connect({ url: ${JSON.stringify(ingressUrl)} })${inScope};`,
  ];
}

function clientMethod({ serviceType, isSend }: CallPlan): string {
  if (serviceType === "Workflow") return "workflowClient";
  const kind = serviceType === "Service" ? "service" : "object";
  return isSend ? `${kind}SendClient` : `${kind}Client`;
}

function keyText({ key }: CallPlan): string {
  return key === undefined ? "" : `, ${JSON.stringify(key)}`;
}

function inputText({ body }: CallPlan): string | undefined {
  if (body === undefined) return undefined;
  const text = body.length > LINE_BODY_MAX ? undefined : utf8Text(body);
  return text !== undefined && isJson(text) ? text : "/* the input */ undefined";
}

function optionsText({ isSend, idempotencyKey, limitKey, delayMs, runsWorkflow }: CallPlan): string | undefined {
  const key = idempotencyKey === undefined || runsWorkflow ? [] : [`idempotencyKey: ${JSON.stringify(idempotencyKey)}`];
  const delay = isSend && delayMs !== undefined ? [`delay: { milliseconds: ${delayMs} }`] : [];
  const limit = limitKey === undefined ? [] : [`limitKey: ${JSON.stringify(limitKey)}`];
  const members = [...key, ...limit, ...delay];
  return members.length === 0 ? undefined : `clients.rpc.${isSend ? "sendOpts" : "opts"}({ ${members.join(", ")} })`;
}

function typeName(service: string): string {
  return NAME.test(service) ? service : "any";
}

type InvocationToCall = Pick<
  InvocationBody,
  "target_service_name" | "target_service_key" | "target_handler_name" | "scope" | "limit_key"
>;

interface CallAgain {
  readonly invocation: InvocationToCall;
  /** Undefined if the service is gone. */
  readonly service: ServiceBody | undefined;
  readonly input: ValueBody;
  readonly ingressUrl: string;
}

/** The line has no idempotency key: with the former key, the ingress would answer with the former result and run nothing. */
export function callAgainLine({ invocation, service, input, ingressUrl }: CallAgain): string {
  const { target_service_name: name, target_service_key: key, target_handler_name: handlerName } = invocation;
  const { scope, limit_key: limitKey } = invocation;
  const handler = service?.handlers.find((one) => one.name === handlerName);
  const bytes = input.text === undefined ? bytesOfBase64(input.base64 ?? "") : new TextEncoder().encode(input.text);
  const hasBody = input.size > 0;
  const contentType =
    (handler && inputTypeOf(handler)) ??
    (input.text !== undefined && (input.cut === true || isJson(input.text))
      ? "application/json"
      : "application/octet-stream");
  return curlLine(
    {
      service: name,
      serviceType: service?.ty ?? (key === undefined ? "Service" : "VirtualObject"),
      handler: handlerName,
      runsWorkflow: service !== undefined && handler !== undefined && isRun(service, handler),
      isSend: false,
      ...(key !== undefined && { key }),
      ...(scope !== undefined && { scope }),
      ...(limitKey !== undefined && { limitKey }),
      ...(hasBody && { contentType, body: bytes, isBodyCut: input.cut === true }),
    },
    ingressUrl,
  );
}

/** The sample payload, the same as in the call that the command proposes; no text for a type without a sample. */
export function firstText(handler: HandlerBody): string {
  return sampleInput(handler, stringifyExact) ?? "";
}

/** The sample payload that the form for a call starts with, and the meaning of the answer. */
export function isRun(service: ServiceBody, handler: HandlerBody): boolean {
  return service.ty === "Workflow" && handler.ty === "Workflow";
}

/** The headers of an answer that say something about the call. */
export const SHOWN_HEADERS = [
  "x-restate-id",
  "content-type",
  "idempotency-expires",
  "x-restate-error-source",
  "retry-after",
] as const;

const TIMED_OUT = [502, 503, 504];

interface AnswerMeaning {
  readonly words: string;
  readonly tone: "succeeded" | "failed" | "waiting";
}

/** The status for a call of a workflow that was run before, and for handlers that fail with it themselves. */
const CONFLICT = 409;

/**
 * @param source the header `x-restate-error-source`: whether the invocation failed, or the ingress refused the call
 * @param runsWorkflow whether the call was to run a workflow, which runs once per key
 */
export function meaningOf(
  status: number,
  source: string | undefined,
  hasId: boolean,
  runsWorkflow = false,
): AnswerMeaning {
  if (status === 202) return { words: "Accepted: the invocation runs, or waits for its start", tone: "waiting" };
  if (status < 300) return { words: "Succeeded", tone: "succeeded" };
  if (source === "invocation" && status === CONFLICT && runsWorkflow) {
    return {
      words: "The workflow of this key was run before, or its run failed with 409: its timeline shows which",
      tone: "failed",
    };
  }
  if (source === "invocation") return { words: "The invocation failed", tone: "failed" };
  if (TIMED_OUT.includes(status) && hasId) {
    return { words: "The request ended before the invocation, which goes on", tone: "waiting" };
  }
  return { words: "The call was refused", tone: "failed" };
}
