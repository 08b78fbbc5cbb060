/** The scope and the limit key of a request. */
import {
  LIMIT_KEY_FORM,
  type LimitKey,
  parseLimitKey,
  parseScope,
  type Scope,
  SCOPE_FORM,
} from "../../core/model/scope.ts";
import type { HttpRequest } from "../http/message.ts";
import { IngressRefusal } from "./ingress-refusal.ts";
import { headerText } from "./submission-headers.ts";
import { parameter } from "./query-parameter.ts";

/**
 * @param text the scope in a path or a body; undefined if it names none
 * @returns the scope as a member of a target
 * @throws IngressRefusal 400 for a scope of another form
 */
export function inScope(text: string | undefined): { readonly scope?: Scope } {
  if (text === undefined) return {};
  const scope = parseScope(text);
  if (scope === undefined) throw new IngressRefusal(400, `bad scope value: '${text}' is not ${SCOPE_FORM}`);
  return { scope };
}

/**
 * A header, even an empty one, counts before the parameter of the query. An empty text is no limit key.
 * @throws IngressRefusal 400 for a limit key of another form, or without a scope
 */
export function limitKeyOf(request: HttpRequest, scope: Scope | undefined): LimitKey | undefined {
  const text = headerText(request, "x-restate-limit-key") ?? parameter(request.query, "limit-key");
  if (text === undefined || text === "") return undefined;
  const limitKey = parseLimitKey(text);
  if (limitKey === undefined) throw new IngressRefusal(400, `invalid limit-key: '${text}' is not ${LIMIT_KEY_FORM}`);
  if (scope === undefined) throw new IngressRefusal(400, "limit-key requires a scope to be set");
  return limitKey;
}
