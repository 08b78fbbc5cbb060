/** Records the span of a request that submits an invocation; the span of the invocation is its child. */
import { readTraceparent, traceparentText } from "../../core/model/trace-context.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Submission } from "../../engine/ports/submission.ts";
import type { Tracer } from "../../engine/ports/tracer.ts";
import { contextBelow, nameOf, targetAttributes } from "../../engine/traces.ts";
import type { HttpResponse } from "../http/message.ts";

/** Statuses from this number on are errors of the server. */
const SERVER_ERROR_MIN = 500;

type Answer = (submission: Submission) => Promise<HttpResponse>;

/**
 * This is not an async function, so that it creates no promise of its own if there is no tracer.
 * @param answer the function that gets the submission. If the span is traced, the submission names the span as its parent.
 *   Errors of the function pass through
 */
export function answerInSpan(engine: Engine, submission: Submission, answer: Answer): Promise<HttpResponse> {
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
