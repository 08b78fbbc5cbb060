/** The call that the command, the local process and the web UI propose for a handler: the same one, ready for a shell. */
import { shellWord } from "./quoted-words.ts";
import type { HandlerBody, ServiceBody } from "../contract/services.ts";
import { sampleOf } from "./schema-sample.ts";

type ProposedHandler = Pick<HandlerBody, "name" | "ty" | "public" | "input_description"> &
  Partial<Pick<HandlerBody, "input_json_schema" | "input_content_type">>;

export type ProposedService = Pick<ServiceBody, "name" | "ty" | "public"> & {
  readonly handlers: readonly ProposedHandler[];
};

/** One request of the ingress. */
export interface CurlCall {
  readonly service: string;
  readonly handler: string;
  /** Present if the service has keys. */
  readonly key?: string;
  readonly scope?: string;
  readonly limitKey?: string;
  /** Absent if the handler takes no body. */
  readonly contentType?: string;
  /** The body as a text; undefined if no line can hold it, so that it comes from a file. */
  readonly body?: string;
  readonly hasBody: boolean;
  readonly idempotencyKey?: string;
  readonly isSend?: boolean;
  /** The delay of a send, such as `10s`. */
  readonly delay?: string;
}

const JSON_TYPE = "application/json";
/** The first of these types that a pattern of the handler takes is proposed. */
const USUAL_TYPES = [JSON_TYPE, "text/plain"];
/** Names that a shell and an address take as they are. A handler with another name is proposed only if there is no other. */
const PLAIN_NAME = /^[\w.-]{1,200}$/;
const SAMPLE_KEY = "my-key";
const SAMPLE_TEXT = "Ada";
/** A longer body would make the line unreadable; the line then reads the body from a file. */
const LINE_BODY_MAX = 4_000;

/** @returns undefined if no public handler has a plain name */
export function proposedCall(services: readonly ProposedService[]): CurlCall | undefined {
  const open = services
    .map((service) => ({
      service,
      handlers: service.handlers.filter((one) => one.public && PLAIN_NAME.test(one.name)),
    }))
    .filter(({ service, handlers }) => service.public && PLAIN_NAME.test(service.name) && handlers.length > 0);
  // A service without keys comes first, because its call needs no key.
  const chosen = open.find(({ service }) => service.ty === "Service") ?? open[0];
  if (chosen === undefined) return undefined;
  const { service, handlers } = chosen;
  // A shared handler mostly reads what another handler of the key wrote before.
  const handler = handlers.find(({ ty }) => ty !== "Shared") ?? handlers[0]!;
  const contentType = inputTypeOf(handler);
  const text = sampleInput(handler);
  return {
    service: service.name,
    handler: handler.name,
    ...(service.ty !== "Service" && { key: SAMPLE_KEY }),
    hasBody: contentType !== undefined,
    ...(contentType !== undefined && { contentType }),
    ...(text !== undefined && { body: text }),
  };
}

/** The content type of the body; undefined if the handler takes none. */
export function inputTypeOf(handler: Omit<ProposedHandler, "name" | "ty" | "public">): string | undefined {
  const { input_json_schema: schema, input_content_type: stated, input_description: description } = handler;
  if (stated !== undefined) return concreteType(stated);
  if (schema !== undefined) return JSON_TYPE;
  if (description === "none") return undefined;
  return description.includes("/") ? concreteType(description) : JSON_TYPE;
}

/** A type for a pattern such as `text/*`; the ingress takes the pattern itself if no usual type fits. */
function concreteType(pattern: string): string {
  const bare = pattern.split(";", 1)[0]!.trim().toLowerCase();
  if (bare === "*/*") return JSON_TYPE;
  if (!bare.endsWith("/*")) return pattern;
  return USUAL_TYPES.find((type) => type.startsWith(bare.slice(0, -1))) ?? pattern;
}

/** Media types have no case, and may have parameters. */
export function isJsonType(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType);
}

/**
 * @param written writes a value as JSON
 * @returns undefined if the handler takes no body, or one of a type for which there is no sample
 */
export function sampleInput(
  handler: Omit<ProposedHandler, "name" | "ty" | "public">,
  written: (value: unknown) => string = JSON.stringify,
): string | undefined {
  const type = inputTypeOf(handler);
  if (type === undefined) return undefined;
  if (/^\s*text\//i.test(type)) return SAMPLE_TEXT;
  if (!isJsonType(type)) return undefined;
  const { input_json_schema: schema } = handler;
  return written(schema === undefined ? SAMPLE_TEXT : sampleOf(schema));
}

/** @returns the parts of one line of curl, each of which may stand on a line of its own */
export function curlParts(call: CurlCall, ingressUrl: string): readonly string[] {
  const { service, handler, key, scope, limitKey, isSend = false, delay, idempotencyKey } = call;
  const { contentType, hasBody } = call;
  const target = [service, ...(key === undefined ? [] : [key]), handler];
  const path =
    scope === undefined
      ? [...target, ...(isSend ? ["send"] : [])]
      : ["restate", "scope", scope, isSend ? "send" : "call", ...target];
  const query = isSend && delay !== undefined ? `?delay=${encodeURIComponent(delay)}` : "";
  const base = ingressUrl.endsWith("/") ? ingressUrl : `${ingressUrl}/`;
  return [
    `curl ${hasBody ? "" : "-X POST "}${shellWord(`${base}${path.map(encodeURIComponent).join("/")}${query}`)}`,
    ...(idempotencyKey === undefined ? [] : [`-H ${shellWord(`idempotency-key: ${idempotencyKey}`)}`]),
    ...(limitKey === undefined ? [] : [`-H ${shellWord(`x-restate-limit-key: ${limitKey}`)}`]),
    ...(hasBody ? [`-H ${shellWord(`content-type: ${contentType ?? JSON_TYPE}`)}`, bodyPart(call.body)] : []),
  ];
}

function bodyPart(body: string | undefined): string {
  // A leading @ would name a file.
  const fits = body !== undefined && body.length <= LINE_BODY_MAX && !body.startsWith("@") && !body.includes("\0");
  return fits ? `-d ${shellWord(body)}` : "--data-binary @payload.bin";
}
