/** The responses of the ingress: results, receipts and refusals in the shapes that existing clients read. */
import type { Failure } from "../../core/model/failure.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { OutputRule } from "../../core/model/service.ts";
import type { Ended, Sent } from "../../engine/ports/submission.ts";
import { type HttpResponse, jsonResponse, textResponse } from "../http/message.ts";
import type { IngressErrorBody, SendBody } from "../wire/ingress.ts";
import { momentIso } from "../../core/model/moment.ts";
import { isHeaderText } from "./submission-headers.ts";

/** @param rule the handler's output rule; undefined if it has none or is no longer registered */
export function endedResponse(ended: Ended, rule: OutputRule | undefined): HttpResponse {
  const headers: Record<string, string> = { "x-restate-id": ended.invocationId };
  if (ended.expiresAtMs !== undefined) headers["idempotency-expires"] = expiryText(ended.expiresAtMs);
  if (ended.result.kind === "failure") return failureResponse(ended.result.failure, headers);
  const contentType = outputContentType(rule, ended.result.value.length === 0);
  if (contentType !== undefined) headers["content-type"] = contentType;
  return { status: 200, headers, body: ended.result.value };
}

export function sentResponse(sent: Sent): HttpResponse {
  const body: SendBody = {
    invocationId: sent.invocationId,
    ...(sent.executionTimeMs === undefined ? {} : { executionTime: executionTimeText(sent.executionTimeMs) }),
    status: sent.status === "accepted" ? "Accepted" : "PreviouslyAccepted",
  };
  return jsonResponse(202, body, { "x-restate-id": sent.invocationId });
}

/** @param headers the headers in addition to those of every refusal */
export function refusalResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const body: IngressErrorBody = { code: status, message, source: "ingress" };
  return jsonResponse(status, body, { "x-restate-error-source": "ingress", ...headers });
}

export function tooManyResponse(): HttpResponse {
  return refusalResponse(429, "too many requests, nothing was accepted: try again when others have been answered");
}

/**
 * The time after which a client attaches or tries again: most invocations have ended by then, and an attach waits for
 * the others.
 */
const RETRY_AFTER_S = 1;

/** The invocation is accepted and continues, but this process cannot wait for it any longer. The status is always an error. */
export function unfinishedResponse(id: InvocationId, why: "stopping" | "out-of-time"): HttpResponse {
  const where = `GET /restate/invocation/${id}/attach waits for its result`;
  const refused =
    why === "stopping"
      ? refusalResponse(
          503,
          `the server is stopping; the invocation continues when the server is back, and then ${where}`,
        )
      : refusalResponse(504, `the invocation takes longer than a request may wait, and continues; ${where}`);
  return {
    ...refused,
    headers: { ...refused.headers, "x-restate-id": id, "retry-after": String(RETRY_AFTER_S) },
  };
}

/** For an HTTP layer with a size limit for responses; the header `x-restate-id` stays. */
export function resultTooLargeResponse({ headers, body }: HttpResponse): HttpResponse {
  const refused = refusalResponse(500, `the result of ${body.length} bytes is larger than this ingress can return`);
  const id = headers["x-restate-id"];
  return { ...refused, headers: { ...refused.headers, ...(id !== undefined && { "x-restate-id": id }) } };
}

/** @param headers the headers in addition to the error's own; `x-restate-id` among them if the invocation is known */
export function failureResponse(failure: Failure, headers: Readonly<Record<string, string>>): HttpResponse {
  const { code, message, metadata = [], stacktrace } = failure;
  const body: IngressErrorBody = {
    code,
    message,
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata.map(({ key, value }) => [key, value])) }),
    ...(stacktrace === undefined ? {} : { stacktrace }),
    source: "invocation",
  };
  return jsonResponse(failureStatus(code), body, { "x-restate-error-source": "invocation", ...headers });
}

/**
 * For the HTTP layers, which read bodies and enforce the limit.
 * @param declared whether `content-length` announced the size before the body was read
 */
export function bodyTooLargeResponse(declared: boolean): HttpResponse {
  if (declared) return textResponse(413, "length limit exceeded");
  return refusalResponse(413, "cannot read body: LengthLimitError");
}

/** The refusal of a request if the server has no room for its body; the ingress has accepted nothing. */
export function noBodyRoomResponse(): HttpResponse {
  return refusalResponse(
    503,
    "this server has no room for the body, because bodies of other requests hold it (ingress.bodies-size-limit); nothing was accepted: try again in a moment",
    { "retry-after": String(RETRY_AFTER_S) },
  );
}

/**
 * The refusal in place of an answer for which the server has no room; a completed invocation stays completed.
 * @param answer the dropped response
 */
export function noAnswerRoomResponse({ headers }: HttpResponse): HttpResponse {
  const id = headers["x-restate-id"];
  const where =
    id === undefined ? "" : `; GET /restate/invocation/${id}/output asks for the result for as long as it is kept`;
  return refusalResponse(
    503,
    `this server has no room for the answer, because clients have yet to read others (ingress.answers-size-limit)${where}`,
    { "retry-after": String(RETRY_AFTER_S), ...(id !== undefined && { "x-restate-id": id }) },
  );
}

/**
 * A terminal error chooses its status, with two exceptions, which become 500. Responses with status 1xx, 204, 205 or 304
 * have no body and could not carry the error. Numbers outside of 100 to 599 are not statuses of RFC 9110.
 */
function failureStatus(code: number): number {
  const carriesBody = code >= 200 && code <= 599 && code !== 204 && code !== 205 && code !== 304;
  return Number.isInteger(code) && carriesBody ? code : 500;
}

function outputContentType(rule: OutputRule | undefined, isEmpty: boolean): string | undefined {
  if (rule === undefined) return isEmpty ? undefined : "application/json";
  if (isEmpty && !rule.setContentTypeIfEmpty) return undefined;
  const { contentType } = rule;
  return contentType !== undefined && isHeaderText(contentType) ? contentType : undefined;
}

/** RFC 3339 with milliseconds and a numeric offset. */
function expiryText(atMs: number): string {
  return momentIso(atMs).replace("Z", "+00:00");
}

/** RFC 3339 in UTC with nine digits of fraction, or none for whole seconds. */
function executionTimeText(atMs: number): string {
  const text = momentIso(atMs);
  return text.endsWith(".000Z") ? text.replace(".000Z", "Z") : text.replace("Z", "000000Z");
}
