/** A small world for the ingress: a few services, and use cases that run their handlers in memory at once. */
import { createHash } from "node:crypto";
import type { Route } from "../../../shared/core/model/deployment.ts";
import type { Failure, Result } from "../../../shared/core/model/failure.ts";
import { invocationIdFromBytes, parseDeploymentId, type InvocationId } from "../../../shared/core/model/ids.ts";
import type { EffectiveSettings, Handler, InputRule, OutputRule } from "../../../shared/core/model/service.ts";
import { targetText, type HandlerType, type ServiceType, type Target } from "../../../shared/core/model/target.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { Routing } from "../../../shared/engine/ports/registry.ts";
import { StoppingError } from "../../../shared/engine/ingress/attach.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import type { Ended, Submission } from "../../../shared/engine/ports/submission.ts";
import { ingressApp, type IngressOptions } from "../../../shared/api/ingress/ingress-app.ts";
import type { IngressUseCases } from "../../../shared/api/ingress/use-cases.ts";
import type { HttpRequest, HttpResponse } from "../../../shared/api/http/message.ts";

export const NOW_MS = Date.UTC(2026, 10, 21, 5, 43, 2, 661);
export const RETENTION_MS = 86_400_000;

interface HandlerSketch {
  readonly type?: HandlerType;
  readonly input?: InputRule;
  readonly output?: OutputRule;
  readonly private?: boolean;
}

const JSON_RULE: InputRule = { required: false, contentType: "application/json" };

const SERVICES: Readonly<Record<string, { type: ServiceType; handlers: Readonly<Record<string, HandlerSketch>> }>> = {
  Greeter: {
    type: "service",
    handlers: {
      echo: {},
      fail: {},
      stuck: {},
      send: {},
      break: {},
      "break-off": {},
      "break-store": {},
      hidden: { private: true },
      none: { input: { required: false } },
      json: { input: JSON_RULE },
      schema: { input: { ...JSON_RULE, jsonSchema: { title: "Greeting", type: "object" } } },
      needed: { input: { required: true, contentType: "application/json" } },
      text: { output: { contentType: "text/plain", setContentTypeIfEmpty: false } },
      typed: { output: { contentType: "text/plain", setContentTypeIfEmpty: true } },
      images: { input: { required: true, contentType: "image/*" } },
    },
  },
  Counter: { type: "object", handlers: { add: { type: "exclusive" }, get: { type: "shared" } } },
  Signup: { type: "workflow", handlers: { run: { type: "workflow" }, status: { type: "shared" } } },
};

/** An ingress, and what reached its use cases and its log, in order. */
export interface World {
  readonly engine: Engine;
  readonly app: (request: HttpRequest) => Promise<HttpResponse>;
  readonly submissions: Submission[];
  readonly awakeables: { readonly id: string; readonly result: Result }[];
  readonly logged: unknown[];
  readonly useCases: IngressUseCases;
}

/** The id of every call of `break-off`. */
export const UNFINISHED_ID = idOf("unfinished");

export function smallWorld(options?: IngressOptions): World {
  const submissions: Submission[] = [];
  const awakeables: { id: string; result: Result }[] = [];
  const logged: unknown[] = [];
  const engine = smallEngine(logged);
  const useCases = smallDesk(submissions, awakeables);
  return { app: ingressApp(engine, options, useCases), engine, submissions, awakeables, logged, useCases };
}

function smallEngine(logged: unknown[]): Engine {
  const route = async (service: string, handler: string): Promise<Routing> => {
    const sketch = Object.hasOwn(SERVICES, service) ? SERVICES[service] : undefined;
    if (sketch === undefined) return { found: false, missing: "service" };
    const found = Object.hasOwn(sketch.handlers, handler) ? sketch.handlers[handler] : undefined;
    if (found === undefined) return { found: false, missing: "handler" };
    return { found: true, route: routeTo(service, handler, found) };
  };
  const services = async () =>
    Object.keys(SERVICES).map((name) => {
      const { service, deployment } = routeTo(name, "", {});
      return { service, deployment };
    });
  const parts = {
    registry: { route, services },
    clock: { nowMs: () => NOW_MS },
    ids: { random: (size: number) => new Uint8Array(size).fill(0xab) },
    log: { write: (event: string, fields: unknown) => logged.push({ event, fields }) },
  };
  return parts as unknown as Engine;
}

function routeTo(service: string, name: string, sketch: HandlerSketch): Route {
  const handler: Handler = {
    name,
    type: sketch.type ?? "service",
    ...(sketch.input === undefined ? {} : { input: sketch.input }),
    ...(sketch.output === undefined ? {} : { output: sketch.output }),
    settings: {},
  };
  const revision = { name: service, type: SERVICES[service]!.type, handlers: [handler], settings: {}, revision: 1 };
  const deployment = {
    id: parseDeploymentId(`dp_1${"0".repeat(22)}`),
    destination: { kind: "http", uri: "http://127.0.0.1:9080", httpVersion: "h2" },
    protocolMode: "request-response",
    minProtocolVersion: 5,
    maxProtocolVersion: 7,
    additionalHeaders: {},
    metadata: {},
    createdAtMs: NOW_MS,
    services: [revision],
  } as const;
  const settings = { public: sketch.private !== true } as EffectiveSettings;
  return { deployment, service: revision, handler, settings };
}

export function idOf(...parts: readonly string[]): InvocationId {
  return invocationIdFromBytes(createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 24));
}

function scopeIn({ scope }: Pick<Target, "scope">): readonly string[] {
  return scope === undefined ? [] : [scope];
}

function smallDesk(submissions: Submission[], awakeables: { id: string; result: Result }[]): IngressUseCases {
  const ended = new Map<InvocationId, Ended>();
  const open = new Map<InvocationId, number | undefined>();
  const idempotentId = (target: Target, key: string) => idOf(...scopeIn(target), targetText(target), key);
  const accept = (submission: Submission) => {
    submissions.push(submission);
    const { idempotencyKey, target } = submission;
    return idempotencyKey === undefined ? idOf(`fresh ${submissions.length}`) : idempotentId(target, idempotencyKey);
  };
  const outcome = (id: InvocationId): Ended | undefined => {
    const before = ended.get(id);
    return before && { ...before, expiresAtMs: NOW_MS + RETENTION_MS };
  };
  return {
    idempotentId: (_engine, target, key) => idempotentId(target, key),
    // The tests of bound callers play on the engine.
    ownIdempotentId: () => Promise.reject(new Error("no caller is bound here")),
    mayAskAbout: () => Promise.reject(new Error("no caller is bound here")),
    workflowId: (_engine, owner) => idOf(...scopeIn(owner), "workflow", owner.service, owner.key ?? ""),
    async call(_engine, submission) {
      const id = accept(submission);
      const before = outcome(id);
      if (before !== undefined) return before;
      const now: Ended = { kind: "ended", invocationId: id, target: submission.target, result: resultOf(submission) };
      ended.set(id, now);
      return now;
    },
    async send(_engine, submission) {
      const id = accept(submission);
      const known = open.has(id);
      if (!known) open.set(id, submission.startAtMs);
      const startAtMs = open.get(id);
      return {
        kind: "sent",
        invocationId: id,
        status: known ? "previously-accepted" : "accepted",
        ...(startAtMs === undefined ? {} : { executionTimeMs: startAtMs }),
      };
    },
    attach: async (_engine, id) => outcome(id) ?? { kind: "unknown" },
    output: async (_engine, id) => outcome(id) ?? { kind: open.has(id) ? "open" : "unknown" },
    async completeAwakeable(_engine, id, result) {
      awakeables.push({ id, result: result! });
    },
  };
}

/** `fail` fails with the failure in its input, `break` and its variants throw, and every other handler returns its input. */
function resultOf({ target, input }: Submission): Result {
  if (target.handler === "break") throw new Error("the disk is on fire");
  if (target.handler === "break-off") throw new StoppingError(UNFINISHED_ID);
  if (target.handler === "break-store") throw new StoreError("the table is away");
  if (target.handler !== "fail") return { kind: "success", value: input };
  return { kind: "failure", failure: JSON.parse(new TextDecoder().decode(input)) as Failure };
}

export function request(
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = "",
): HttpRequest {
  const [method, address] = line.split(/ (.*)/s) as [string, string];
  const [path, query] = address.split(/\?(.*)/s) as [string, string | undefined];
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { method, path, query: query ?? "", headers, body: bytes };
}

export function textOf(response: HttpResponse): string {
  return new TextDecoder().decode(response.body);
}
