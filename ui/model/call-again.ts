/** The call that does an invocation again, as a line of curl: the same handler, key and input through the ingress. */
import type { ServiceBody } from "../../shared/api/contract/services.ts";
import type { InvocationBody, ValueBody } from "../../shared/api/contract/invocations.ts";
import { inputTypeOf } from "../../shared/api/wire/proposed-call.ts";
import { isJson } from "../../shared/api/wire/pretty-json.ts";
import { curlLine } from "./call-lines.ts";
import { isRun } from "./call-request.ts";
import { bytesOfBase64 } from "./payload-text.ts";

export type InvocationToCall = Pick<
  InvocationBody,
  "target_service_name" | "target_service_key" | "target_handler_name"
>;

export interface CallAgain {
  readonly invocation: InvocationToCall;
  /** Undefined if the service is gone. */
  readonly service: ServiceBody | undefined;
  readonly input: ValueBody;
  readonly ingressUrl: string;
}

/** The line has no idempotency key: with the former key, the ingress would answer with the former result and run nothing. */
export function callAgainLine({ invocation, service, input, ingressUrl }: CallAgain): string {
  const { target_service_name: name, target_service_key: key, target_handler_name: handlerName } = invocation;
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
      ...(hasBody && { contentType, body: bytes, isBodyCut: input.cut === true }),
    },
    ingressUrl,
  );
}
