/** Decoded fields as the head of a response, judged by the rules of HTTP/2 for them. */
import type { ExchangeHead } from "../../../engine/ports/endpoints.ts";
import type { Field } from "./header-decoder.ts";

export interface ResponseHead extends ExchangeHead {
  /** How many bytes the content is to have, where the head says. */
  readonly contentBytes?: number;
}

/** They belong to a connection, and a connection of HTTP/2 has its own ways. */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
/** The characters of a token but no capitals, for in HTTP/2 names are in lower case. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// oxlint-disable-next-line no-control-regex -- these are the very characters that must not be there
const FORBIDDEN_IN_VALUE = /[\0\r\n]/;

/** Several values of one name are joined. @returns what is wrong, where it is no head of a response */
export function responseHead(fields: readonly Field[]): ResponseHead | string {
  const [first, ...rest] = fields;
  if (first?.[0] !== ":status" || !/^[1-9]\d\d$/.test(first[1])) return "no status stands at its head";
  const wrong = wrongField(rest);
  if (wrong !== undefined) return wrong;
  // Names come from the peer, so there must be nothing to inherit.
  const headers = Object.create(null) as Record<string, string>;
  for (const [name, value] of rest) {
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  const head = { status: Number(first[1]), headers: Object.freeze(headers), httpVersion: "h2" as const };
  const length = headers["content-length"];
  if (length === undefined) return head;
  return /^\d{1,15}$/.test(length) ? { ...head, contentBytes: Number(length) } : "its content-length is no number";
}

/** @returns what is wrong with fields that may be no pseudo-fields; undefined where nothing is */
export function wrongField(fields: readonly Field[]): string | undefined {
  for (const [name, value] of fields) {
    if (!NAME.test(name)) return "it has a field that may not stand there";
    if (CONNECTION_FIELDS.has(name)) return `it has the field ${name}`;
    if (FORBIDDEN_IN_VALUE.test(value)) return `its field ${name} holds a line break`;
  }
  return undefined;
}
