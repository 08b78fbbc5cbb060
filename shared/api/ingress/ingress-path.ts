/** Parses the paths of the ingress, without knowledge of the registered services, and says what a log shows of them. */
import { needlessEscape } from "../http/spelling.ts";
import { IngressRefusal, notFound } from "./ingress-refusal.ts";
import type { LogFields } from "../../engine/ports/log.ts";

/** `attach` waits for the result of an invocation; `output` returns it if it exists. */
export type Question = "attach" | "output";

export interface CallPath {
  readonly kind: "call";
  /**
   * `plain` is `/service/...`, with or without `send` at the end; `call` is `/restate/call/...`; `send` is
   * `/restate/send/...`.
   */
  readonly spelling: "plain" | "call" | "send";
  readonly service: string;
  /** The segments after the service, undecoded; their meaning depends on the service's type. */
  readonly rest: readonly string[];
  readonly scope?: string;
}

export type IngressPath =
  | CallPath
  | { readonly kind: "invocation"; readonly question: Question; readonly id: string }
  | {
      readonly kind: "idempotent";
      readonly question: Question;
      readonly service: string;
      /** The handler, or the key and the handler; undecoded. */
      readonly rest: readonly string[];
      readonly idempotencyKey: string;
    }
  | { readonly kind: "workflow"; readonly question: Question; readonly name: string; readonly key: string }
  | { readonly kind: "described"; readonly question: Question | "lookup" }
  | { readonly kind: "awakeable"; readonly id: string; readonly outcome: "resolve" | "reject" }
  | { readonly kind: "health" };

const SEGMENTS_MIN = 2;
const SEGMENTS_MAX = 7;

/** The prefixes of the ingress's own paths. They are equivalent, and no service may have such a name. */
const PREFIXES = new Set(["restate", "stepwell", "engine"]);

export const CALL_FORMS =
  "bad path, expected /restate/call/:service/:handler, /restate/call/:service/:key/:handler, " +
  "or the same with send in place of call, or behind /restate/scope/:scope";
const INVOCATION_FORMS =
  "bad path, expected either /restate/invocation/:id/attach, " +
  "/restate/invocation/:service/:handler/:idempotency-key/attach or " +
  "/restate/invocation/:service/:key/:handler/:idempotency-key/attach, or output in place of attach";
const QUESTION_FORMS = "bad path, expected either /restate/attach/:id or /restate/output/:id";
const WORKFLOW_FORMS =
  "bad path, expected either /restate/workflow/:name/:key/attach or /restate/workflow/:name/:key/output";
const AWAKEABLE_FORMS = "bad path, expected either /restate/awakeables/:id/resolve or /restate/awakeables/:id/reject";

/**
 * @param path the undecoded path, without the query
 * @throws IngressRefusal 400 for a path with the wrong segments, 404 for an unknown word in it
 */
export function parseIngressPath(path: string): IngressPath {
  const segments = segmentsOf(path);
  const first = segments[0]!;
  if (PREFIXES.has(first)) return reservedPath(segments.slice(1));
  if (first === "openapi") throw notFound();
  return { kind: "call", spelling: "plain", service: first, rest: segments.slice(1) };
}

/** Splits the path at its slashes. Ignores all leading slashes and one trailing slash; keeps empty segments in between. */
function segmentsOf(path: string): string[] {
  let from = 0;
  while (path.charCodeAt(from) === 47) from++;
  const to = path.length > from && path.endsWith("/") ? path.length - 1 : path.length;
  const segments = path.slice(from, to).split("/");
  if (segments.length < SEGMENTS_MIN || segments.length > SEGMENTS_MAX) {
    throw new IngressRefusal(400, `bad path: /${segments.join("/")}`);
  }
  return segments;
}

function reservedPath(segments: readonly string[]): IngressPath {
  switch (segments[0]!) {
    case "call":
    case "send":
      return callPath(segments[0], segments.slice(1));
    case "scope":
      return scopedPath(segments);
    case "invocation":
      return invocationPath(segments);
    case "workflow":
      return workflowPath(segments);
    case "attach":
    case "output":
      return questionPath(segments[0], segments);
    case "lookup":
      if (segments.length === 1) return { kind: "described", question: "lookup" };
      break;
    case "awakeables":
    case "a":
      return awakeablePath(segments);
    case "health":
      if (segments.length === 1) return { kind: "health" };
      break;
  }
  throw notFound();
}

function callPath(spelling: "call" | "send", segments: readonly string[], scope?: string): CallPath {
  const service = segments[0];
  if (service === undefined) throw new IngressRefusal(400, CALL_FORMS);
  return { kind: "call", spelling, service, rest: segments.slice(1), ...(scope === undefined ? {} : { scope }) };
}

function scopedPath(segments: readonly string[]): CallPath {
  const [, scope, spelling, ...rest] = segments;
  if (scope === undefined || (spelling !== "call" && spelling !== "send")) throw new IngressRefusal(400, CALL_FORMS);
  return callPath(spelling, rest, decodeSegment(scope, "scope"));
}

function invocationPath(segments: readonly string[]): IngressPath {
  if (segments.length < 3) throw new IngressRefusal(400, INVOCATION_FORMS);
  const question = questionAt(segments);
  if (segments.length === 3) return { kind: "invocation", question, id: segments[1]! };
  const idempotencyKey = segments[segments.length - 2]!;
  return { kind: "idempotent", question, service: segments[1]!, rest: segments.slice(2, -2), idempotencyKey };
}

/** The refusal of a path that contains an idempotency key, if its number of segments contradicts the type of the service. */
export function badInvocationPath(): IngressRefusal {
  return new IngressRefusal(400, INVOCATION_FORMS);
}

function questionPath(question: Question, segments: readonly string[]): IngressPath {
  if (segments.length === 1) return { kind: "described", question };
  if (segments.length === 2) return { kind: "invocation", question, id: segments[1]! };
  throw new IngressRefusal(400, QUESTION_FORMS);
}

function workflowPath(segments: readonly string[]): IngressPath {
  if (segments.length < 4) throw new IngressRefusal(400, WORKFLOW_FORMS);
  const question = questionAt(segments);
  if (segments.length > 4) throw new IngressRefusal(400, WORKFLOW_FORMS);
  return { kind: "workflow", question, name: segments[1]!, key: decodeSegment(segments[2]!, "key") };
}

function awakeablePath(segments: readonly string[]): IngressPath {
  if (segments.length !== 3) throw new IngressRefusal(400, AWAKEABLE_FORMS);
  const outcome = segments[2];
  if (outcome !== "resolve" && outcome !== "reject") throw notFound();
  return { kind: "awakeable", id: segments[1]!, outcome };
}

function questionAt(segments: readonly string[]): Question {
  const last = segments[segments.length - 1];
  if (last === "attach" || last === "output") return last;
  throw notFound();
}

/**
 * Decodes the escapes of a key, a scope or a workflow id; an invalid escape stays as it is.
 * @throws IngressRefusal 400 if the bytes are not UTF-8, or an escape stands for a letter or digit
 */
export function decodeSegment(segment: string, what: "key" | "scope"): string {
  if (!segment.includes("%")) return segment;
  const needless = needlessEscape(segment);
  if (needless !== undefined) {
    throw new IngressRefusal(
      400,
      `bad path, cannot decode ${what}: '${needless}' is an escaped letter or digit: write the character itself`,
    );
  }
  const bytes = new TextEncoder().encode(segment);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] === 37 ? hexDigit(bytes[at + 1]) : -1;
    const low = high < 0 ? -1 : hexDigit(bytes[at + 2]);
    if (low >= 0) at += 2;
    bytes[length++] = low >= 0 ? high * 16 + low : bytes[at]!;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length));
  } catch {
    throw new IngressRefusal(
      400,
      `bad path, cannot decode ${what}: '${segment}' is not UTF-8 once its escapes are read`,
    );
  }
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** @param path the path of a routed request @returns only the kind of route if the path names nothing more */
export function routeWords(path: string): LogFields {
  try {
    const parsed = parseIngressPath(path);
    switch (parsed.kind) {
      case "call":
      case "idempotent":
        return { route: parsed.kind, service: parsed.service };
      case "workflow":
        return { route: parsed.kind, service: parsed.name };
      case "invocation":
        return { route: parsed.kind, invocationId: parsed.id };
      default:
        return { route: parsed.kind };
    }
  } catch {
    return { route: "none" };
  }
}
