/** Attach, output and lookup: queries about existing invocations, by any of their names, in the path or in a JSON body. */
import { IdError, parseInvocationId, type InvocationId } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import type { Engine } from "../../engine/engine.ts";
import type { BoundCaller } from "../../engine/ingress/ownership.ts";
import type { Ended } from "../../engine/ports/submission.ts";
import { jsonResponse, emptyResponse, type HttpRequest, type HttpResponse } from "../http/message.ts";
import type { LookupBody, TargetBody } from "../wire/ingress.ts";
import { endedResponse, failureResponse, refusalResponse } from "./answers.ts";
import { serviceType } from "./called-target.ts";
import { badInvocationPath, decodeSegment, type IngressPath, type Question } from "./ingress-path.ts";
import {
  IngressRefusal,
  methodNotAllowed,
  notFound,
  notPublic,
  unknownHandler,
  unknownService,
} from "./ingress-refusal.ts";
import { inScope } from "./request-scope.ts";
import type { IngressUseCases } from "./use-cases.ts";
import { parseJsonFromOutside, TooManyElementsError } from "../../core/model/json-elements.ts";
import type { Result } from "../../core/model/failure.ts";
import { parseAwakeableId, type AwakeableId } from "../../core/protocol/awakeable-id.ts";

const UNKNOWN = { kind: "unknown" } as const;

type AboutPath = Extract<IngressPath, { kind: "invocation" | "idempotent" | "workflow" | "described" }>;

/** @throws IngressRefusal */
export async function answerQuestion(
  engine: Engine,
  useCases: IngressUseCases,
  request: HttpRequest,
  path: AboutPath,
  by?: BoundCaller,
): Promise<HttpResponse> {
  const asking: Asking = { engine, useCases, request, by };
  const method = path.kind === "described" ? "POST" : "GET";
  if (request.method !== method) throw methodNotAllowed(method);
  switch (path.kind) {
    case "invocation":
      return answerAbout(asking, path.question, parseId(path.id));
    case "idempotent":
      return answerAbout(asking, path.question, await idempotentId(asking, path));
    case "workflow":
      if (!(await isWorkflow(engine, path.name))) return notFoundAnswer(path.question);
      return answerAbout(asking, path.question, useCases.workflowId(engine, { service: path.name, key: path.key }));
    case "described":
      return answerDescribed(asking, path.question);
  }
}

interface Asking {
  readonly engine: Engine;
  readonly useCases: IngressUseCases;
  readonly request: HttpRequest;
  /** Present if callers are bound to what they made. */
  readonly by: BoundCaller | undefined;
}

async function answerDescribed(asking: Asking, question: Question | "lookup"): Promise<HttpResponse> {
  const { engine, useCases, request, by } = asking;
  const described = parseTargetBody(request.body, question === "lookup" ? "lookup" : "request");
  const within = described.target === "invocation" ? {} : inScope(described.scope);
  if (described.target === "workflow" && !(await isWorkflow(engine, described.workflowName))) {
    if (question === "lookup") throw unknownService(described.workflowName);
    return notFoundAnswer(question);
  }
  if (described.target === "idempotentInvocation") await refuseUncallable(engine, described.service, described.handler);
  const id = await describedId(asking, described, within);
  if (question !== "lookup") return answerAbout(asking, question, id);
  // Awakeables of the run follow from its id, so a caller who only guesses the key of a workflow does not get the id.
  if (by !== undefined && described.target === "workflow" && !(await useCases.mayAskAbout(engine, id, by)))
    return notFoundAnswer("output");
  const body: LookupBody = { invocationId: id };
  return jsonResponse(200, body);
}

async function describedId(
  { engine, useCases, by }: Asking,
  described: TargetBody,
  within: Pick<Target, "scope">,
): Promise<InvocationId> {
  if (described.target === "invocation") return parseId(described.invocationId);
  if (described.target === "workflow")
    return useCases.workflowId(engine, { service: described.workflowName, key: described.workflowKey, ...within });
  const { service, handler, key, idempotencyKey } = described;
  const target: Target = { service, handler, ...(key !== undefined && { key }), ...within };
  if (by === undefined) return useCases.idempotentId(engine, target, idempotencyKey);
  return await useCases.ownIdempotentId(engine, target, idempotencyKey, by.caller);
}

async function answerAbout(
  { engine, useCases, request, by }: Asking,
  question: Question,
  id: InvocationId,
): Promise<HttpResponse> {
  const isHidden = by !== undefined && !(await useCases.mayAskAbout(engine, id, by));
  if (question === "attach") {
    const outcome = isHidden ? UNKNOWN : await useCases.attach(engine, id, request.signal);
    if (outcome.kind === "ended") return endedAnswer(engine, outcome);
    return failureResponse({ code: 404, message: "not found" }, { "x-restate-id": id });
  }
  const outcome = isHidden ? UNKNOWN : await useCases.output(engine, id);
  if (outcome.kind === "ended") return endedAnswer(engine, outcome);
  if (outcome.kind === "open") return refusalResponse(470, "the invocation exists but has not completed yet");
  return refusalResponse(404, "invocation not found");
}

/** The content type of a result follows the handler's current declaration; it is not stored with the result. */
async function endedAnswer(engine: Engine, ended: Ended): Promise<HttpResponse> {
  if (ended.result.kind === "failure") return endedResponse(ended, undefined);
  const routing = await engine.registry.route(ended.target.service, ended.target.handler);
  return endedResponse(ended, routing.found ? routing.route.handler.output : undefined);
}

async function idempotentId(
  { engine, useCases, by }: Asking,
  path: Extract<IngressPath, { kind: "idempotent" }>,
): Promise<InvocationId> {
  const { service, rest, idempotencyKey } = path;
  const keyed = (await serviceType(engine.registry, service)) !== "service";
  const named = keyed ? 2 : 1;
  if (rest.length < named) throw badInvocationPath();
  // This path of a service without keys has one segment too many: where such a path ends with `attach` or `output`, it has
  // an unknown word, so it gets the 404 of an unknown word.
  if (rest.length > named) throw notFound();
  const target: Target = keyed
    ? { service, handler: rest[1]!, key: decodeSegment(rest[0]!, "key") }
    : { service, handler: rest[0]! };
  await refuseUncallable(engine, service, target.handler);
  if (by === undefined) return useCases.idempotentId(engine, target, idempotencyKey);
  return await useCases.ownIdempotentId(engine, target, idempotencyKey, by.caller);
}

/**
 * A caller that may not call a handler may not query the handler's invocations by guessable names either: the query would
 * reveal their results, and their ids would allow completing their awakeables. An unregistered handler is refused too,
 * because it may have been private.
 * @throws IngressRefusal 400 if the handler is private and 404 if it is not registered, as for a call
 */
async function refuseUncallable({ registry }: Engine, service: string, handler: string): Promise<void> {
  const routing = await registry.route(service, handler);
  if (!routing.found) throw routing.missing === "service" ? unknownService(service) : unknownHandler(service, handler);
  if (!routing.route.settings.public) throw notPublic();
}

/**
 * Whether the workflow is registered.
 * @throws IngressRefusal 400 if its run handler is private
 */
async function isWorkflow(engine: Engine, name: string): Promise<boolean> {
  const { registry } = engine;
  const find = async () => (await registry.services()).find(({ service }) => service.name === name)?.service;
  let known = await find();
  if (known === undefined) {
    // The list may be stale; a query for a missing route makes the registry read it again.
    await registry.route(name, "");
    known = await find();
  }
  const run = known?.handlers.find(({ type }) => type === "workflow");
  if (run === undefined) return false;
  await refuseUncallable(engine, name, run.name);
  return true;
}

/** The answer for an unknown id, without the id. */
function notFoundAnswer(question: Question): HttpResponse {
  if (question === "attach") return failureResponse({ code: 404, message: "not found" }, {});
  return refusalResponse(404, "invocation not found");
}

/** @throws IngressRefusal 400 */
function parseId(text: string): InvocationId {
  try {
    return parseInvocationId(text);
  } catch (error) {
    if (error instanceof IdError) throw new IngressRefusal(400, `bad invocation id '${text}': ${error.message}`);
    throw error;
  }
}

/** A body names one invocation by six texts at most; unknown fields may come with them. */
const ELEMENTS_MAX = 1_000;

/**
 * The content type is ignored; unknown fields are ignored; null counts as absent.
 * @param asked the name of the body in the refusal, as clients expect it
 * @throws IngressRefusal 500, not 400, for an unreadable body, as existing clients expect
 */
function parseTargetBody(body: Uint8Array, asked: "lookup" | "request"): TargetBody {
  try {
    return targetBody(parseJsonFromOutside(body, ELEMENTS_MAX));
  } catch (error) {
    const isExplained = error instanceof BodyError || error instanceof TooManyElementsError;
    const reason = isExplained ? error.message : "it is not JSON in UTF-8";
    throw new IngressRefusal(500, `cannot read body: invalid ${asked} body: ${reason}`);
  }
}

class BodyError extends Error {
  override name = "BodyError";
}

function targetBody(value: unknown): TargetBody {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new BodyError("it is not an object");
  const fields = value as Readonly<Record<string, unknown>>;
  switch (fields["target"]) {
    case "invocation":
      return { target: "invocation", invocationId: text(fields, "invocationId") };
    case "idempotentInvocation":
      return {
        target: "idempotentInvocation",
        service: text(fields, "service"),
        handler: text(fields, "handler"),
        idempotencyKey: text(fields, "idempotencyKey"),
        ...optional(fields, "key"),
        ...optional(fields, "scope"),
      };
    case "workflow":
      return {
        target: "workflow",
        workflowName: text(fields, "workflowName"),
        workflowKey: text(fields, "workflowKey"),
        ...optional(fields, "scope"),
      };
    default:
      throw new BodyError("its field 'target' is not one of 'invocation', 'idempotentInvocation' and 'workflow'");
  }
}

function text(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw new BodyError(`its field '${name}' is missing or not a string`);
  return value;
}

function optional<Name extends "key" | "scope">(
  fields: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [N in Name]?: string } {
  if (fields[name] === undefined || fields[name] === null) return {};
  return { [name]: text(fields, name) } as { readonly [N in Name]?: string };
}

/** @returns undefined if the response is a failure or names no invocation */
export function resultAgain(request: HttpRequest, { status, headers }: HttpResponse): HttpRequest | undefined {
  const id = headers["x-restate-id"];
  if (status !== 200 || id === undefined) return undefined;
  const { signal } = request;
  const path = `/restate/invocation/${id}/output`;
  return { method: "GET", path, query: "", headers: {}, body: new Uint8Array(0), ...(signal && { signal }) };
}

/** @throws IngressRefusal */
export async function completeAwakeable(
  engine: Engine,
  useCases: IngressUseCases,
  request: HttpRequest,
  path: Extract<IngressPath, { kind: "awakeable" }>,
): Promise<HttpResponse> {
  if (request.method !== "POST") throw methodNotAllowed("POST");
  const { kind } = checkedId(path.id);
  // Ids of another kind come from protocol versions that are not supported, so no invocation waits for them.
  if (kind === "signal") await useCases.completeAwakeable(engine, path.id, resultOf(request.body, path.outcome));
  return emptyResponse(202);
}

function resultOf(body: Uint8Array, outcome: "resolve" | "reject"): Result {
  if (outcome === "resolve") return { kind: "success", value: body };
  return {
    kind: "failure",
    failure: { code: 500, message: new TextDecoder("utf-8", { ignoreBOM: true }).decode(body) },
  };
}

/** @throws IngressRefusal 400 if the text is not an awakeable id */
function checkedId(id: string): AwakeableId {
  try {
    return parseAwakeableId(id);
  } catch (error) {
    if (error instanceof IdError) throw new IngressRefusal(400, `bad awakeable id '${id}': ${error.message}`);
    throw error;
  }
}
