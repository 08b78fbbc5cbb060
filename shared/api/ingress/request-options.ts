/** The options that a request sets by headers, and whether they fit the rest of the request. */
import { readOptions, REQUEST_OPTIONS, type RequestOptions } from "../../core/model/request-options.ts";
import type { HandlerType } from "../../core/model/target.ts";
import type { HttpRequest } from "../http/message.ts";
import { IngressRefusal } from "./ingress-refusal.ts";
import { headerText } from "./submission-headers.ts";

interface Beside {
  readonly handlerType: HandlerType;
  readonly idempotencyKey: string | undefined;
  /** The start of a delayed send. */
  readonly startAtMs: number | undefined;
}

/** @throws IngressRefusal 400 for a value that is not allowed, and for options that do not fit the request */
export function optionsOf(request: HttpRequest, beside: Beside): RequestOptions {
  const options = readOptions((name) => headerText(request, name));
  const problem = typeof options === "string" ? options : misfit(options, beside);
  if (typeof options === "string" || problem !== undefined) throw new IngressRefusal(400, String(problem));
  return options;
}

function misfit(options: RequestOptions, { handlerType, idempotencyKey, startAtMs }: Beside): string | undefined {
  const { endWithin, singleton, debounceMs } = REQUEST_OPTIONS;
  if (options.endWithin === "inherit")
    return `bad header '${endWithin.header}': only a handler's call or send can inherit a deadline; a request over HTTP needs a duration, such as '10m'`;
  if (options.singleton === undefined) return undefined;
  const refused = `cannot use '${singleton.header}'`;
  if (handlerType === "workflow")
    return `${refused} with workflow handlers: a workflow runs once per workflow key by itself. Leave the header out`;
  if (idempotencyKey !== undefined)
    return `${refused} with an idempotency key: each of them decides which invocation a repeated request finds. Leave one of the two out`;
  if (options.debounceMs !== undefined && startAtMs !== undefined)
    return `cannot use '${debounceMs.header}' with the delay query parameter: both say when the invocation starts. Leave one of the two out`;
  return undefined;
}
