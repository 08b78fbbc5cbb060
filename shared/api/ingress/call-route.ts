/** Handles calls and sends: checks the request in the order that clients expect, then submits it to the engine. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { principalOf } from "../../core/model/principal.ts";
import type { Target } from "../../core/model/target.ts";
import { inputVerdict } from "../../core/protocol/manifest.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../../engine/engine.ts";
import { ALREADY_RUN } from "../../engine/effects/child.ts";
import type { BoundCaller } from "../../engine/ingress/ownership.ts";
import type { SubmitRejection, Submission } from "../../engine/ports/submission.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { endedResponse, refusalResponse, sentResponse } from "./answers.ts";
import { calledTarget, type Called } from "./called-target.ts";
import type { CallPath } from "./ingress-path.ts";
import { IngressRefusal, methodNotAllowed, unknownHandler, unknownService } from "./ingress-refusal.ts";
import { callerOf, headerText, submissionHeaders, traceparentOf, type HeaderChoice } from "./submission-headers.ts";
import { optionsOf } from "./request-options.ts";
import { parameter } from "./query-parameter.ts";
import { inScope, limitKeyOf } from "./request-scope.ts";
import type { IngressUseCases } from "./use-cases.ts";
import { parseDurationMs } from "../../core/model/duration.ts";
import { LAST_MOMENT_MS } from "../../core/model/moment.ts";
import { readTraceparent, traceparentText } from "../../core/model/trace-context.ts";
import type { Tracer } from "../../engine/ports/tracer.ts";
import { contextBelow, nameOf, targetAttributes } from "../../engine/traces.ts";

const TAKEN = "another caller has submitted the run of this workflow under this key";

/** What the settings say about a call. */
interface CallRules {
  readonly headers: HeaderChoice;
  /** Present if callers are bound to what they made. */
  readonly by: BoundCaller | undefined;
}

/** @throws IngressRefusal */
export async function answerCall(
  engine: Engine,
  useCases: IngressUseCases,
  request: HttpRequest,
  path: CallPath,
  { headers, by }: CallRules,
): Promise<HttpResponse> {
  const called = await calledTarget(engine.registry, path);
  const checked = checkedSubmission(engine, request, called, { scope: path.scope, headers });
  const submission = by === undefined ? checked : await bound(engine, useCases, checked, by);
  // The answer would tell the id of the run, from which its awakeables follow.
  const refuseForeign = async (id: InvocationId): Promise<void> => {
    if (by !== undefined && !(await useCases.mayAskAbout(engine, id, by))) throw new IngressRefusal(409, TAKEN);
  };
  return await answerInSpan(engine, submission, async (inSpan) => {
    if (called.oneWay) {
      const outcome = await useCases.send(engine, inSpan);
      if (outcome.kind === "sent" && outcome.status === "previously-accepted")
        await refuseForeign(outcome.invocationId);
      return outcome.kind === "sent" ? sentResponse(outcome) : refusedResponse(outcome, called);
    }
    const outcome = await useCases.call(engine, inSpan, request.signal);
    if (outcome.kind === "ended" && outcome.result === ALREADY_RUN) await refuseForeign(outcome.invocationId);
    return outcome.kind === "ended"
      ? endedResponse(outcome, called.routing.route.handler.output)
      : refusedResponse(outcome, called);
  });
}

/** A key leads to the caller's own invocation; the run of a workflow has one id for all callers. */
async function bound(
  engine: Engine,
  useCases: IngressUseCases,
  submission: Submission,
  by: BoundCaller,
): Promise<Submission> {
  const { target, idempotencyKey, options } = submission;
  if (options?.singleton !== undefined && by.caller !== undefined)
    return { ...submission, singletonOwner: principalOf(by.caller) };
  if (idempotencyKey === undefined) return submission;
  return { ...submission, boundId: await useCases.ownIdempotentId(engine, target, idempotencyKey, by.caller) };
}

function checkedSubmission(
  engine: Engine,
  request: HttpRequest,
  called: Called,
  { scope, headers }: { readonly scope: string | undefined; readonly headers: HeaderChoice },
): Submission {
  const { routing, oneWay } = called;
  const { handler } = routing.route;
  const idempotencyKey = headerText(request, "idempotency-key");
  if (idempotencyKey !== undefined && handler.type === "workflow") {
    throw new IngressRefusal(
      400,
      "cannot use the idempotency key with workflow handlers. A workflow runs once per workflow key by itself",
    );
  }
  const target: Target = { ...called.target, ...inScope(scope) };
  if (request.method !== "POST" && request.method !== "GET") throw methodNotAllowed("GET", "POST");
  const verdict = inputVerdict(handler.input, request.headers["content-type"], request.body.length === 0);
  if (verdict !== undefined) throw new IngressRefusal(400, `input validation error: ${verdict}`);
  const startMs = startAtMs(request.query, oneWay, engine.clock.nowMs());
  const limitKey = limitKeyOf(request, target.scope);
  const traceparent = traceparentOf(request);
  const createdBy = callerOf(request);
  return {
    target,
    routing,
    input: request.body,
    headers: submissionHeaders(request, headers),
    options: optionsOf(request, { handlerType: handler.type, idempotencyKey, startAtMs: startMs }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(limitKey === undefined ? {} : { limitKey }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(startMs === undefined ? {} : { startAtMs: startMs }),
  };
}

function refusedResponse(refusal: SubmitRejection, { target }: Called): HttpResponse {
  switch (refusal.kind) {
    case "unknown-service":
      return refusalResponse(404, unknownService(target.service).message);
    case "unknown-handler":
      return refusalResponse(404, unknownHandler(target.service, target.handler).message);
    case "deprecated":
      return refusalResponse(400, refusal.error.message);
    case "held":
      return refusalResponse(409, new CodedError("RT0912", `${refusal.by} is open`).message, {
        "x-restate-id": refusal.by,
      });
  }
}

/**
 * The moment at which a delayed send starts; undefined if the request has no delay.
 * @param nowMs the moment of the request
 * @returns the end of the year 9999 for a delay that ends later, which clients write for "never"
 * @throws IngressRefusal 400 for a call with a delay, and for an invalid delay
 */
function startAtMs(query: string, oneWay: boolean, nowMs: number): number | undefined {
  const text = parameter(query, "delay");
  if (text === undefined) return undefined;
  if (!oneWay) {
    throw new IngressRefusal(
      400,
      "cannot use the delay query parameter with calls. Only sends can wait: append /send to the path",
    );
  }
  const delayMs = parseDurationMs(text);
  if (delayMs === undefined) {
    throw new IngressRefusal(
      400,
      `bad delay query parameter, must be a ISO8601 duration: '${text}' is neither like PT5S nor like 5s`,
    );
  }
  return Math.min(nowMs + delayMs, LAST_MOMENT_MS);
}

/** Statuses from this number on are errors of the server. */
const SERVER_ERROR_MIN = 500;

type Answer = (submission: Submission) => Promise<HttpResponse>;

/**
 * This is not an async function, so that it creates no promise of its own if there is no tracer.
 * @param answer the function that gets the submission. If the span is traced, the submission names the span as its parent.
 *   Errors of the function pass through
 */
function answerInSpan(engine: Engine, submission: Submission, answer: Answer): Promise<HttpResponse> {
  const { tracer } = engine;
  return tracer === undefined ? answer(submission) : answerTraced(engine, tracer, submission, answer);
}

async function answerTraced(
  engine: Engine,
  tracer: Tracer,
  submission: Submission,
  answer: Answer,
): Promise<HttpResponse> {
  const parent = submission.traceparent === undefined ? undefined : readTraceparent(submission.traceparent);
  if (parent?.sampled === false) return await answer(submission);
  const context = contextBelow(engine, parent);
  const startedAtMs = engine.clock.nowMs();
  let response: HttpResponse | undefined;
  try {
    response = await answer({ ...submission, traceparent: traceparentText(context) });
    return response;
  } finally {
    const { target } = submission;
    const id = response?.headers["x-restate-id"];
    const failed = response === undefined || response.status >= SERVER_ERROR_MIN;
    tracer.record({
      traceId: context.traceId,
      spanId: context.spanId,
      ...(parent && { parentSpanId: parent.spanId }),
      kind: "server",
      name: `ingress ${nameOf(target)}`,
      startedAtMs,
      endedAtMs: engine.clock.nowMs(),
      attributes: {
        ...targetAttributes(target, id),
        ...(response && { "http.response.status_code": response.status }),
      },
      ...(failed && { failure: response === undefined ? "not answered" : `answered with ${response.status}` }),
    });
  }
}
