/** Reads the header blocks of one response, and checks its head. */
import { HEADER_LIST_MAX_BYTES } from "../exchange/end-to-end-headers.ts";
import { decodedFields, type Field } from "./header-decoder.ts";
import type { ExchangeHead } from "../../../engine/ports/endpoints.ts";

/** Longer blocks are not cached. */
const REMEMBERED_MAX_BYTES = 1024;
const TOO_MANY = "more headers came than were allowed";

export class ResponseReader {
  // Without a dynamic table, equal blocks mean equal heads.
  #lastBlock: Buffer | undefined;
  #lastHead: ResponseHead | undefined;

  /** @returns the head, or the reason why the block is no head @throws ConnectionError for an unreadable block */
  head(bytes: Uint8Array, start: number, end: number): ResponseHead | string {
    const last = this.#lastBlock;
    if (last !== undefined && this.#lastHead !== undefined && last.length === end - start) {
      if (last.compare(bytes, start, end) === 0) return this.#lastHead;
    }
    const fields = decodedFields(bytes, start, end, HEADER_LIST_MAX_BYTES);
    if (fields === undefined) return TOO_MANY;
    const head = responseHead(fields);
    if (typeof head !== "string" && end - start <= REMEMBERED_MAX_BYTES) {
      this.#lastBlock = Buffer.from(bytes.subarray(start, end));
      this.#lastHead = head;
    }
    return head;
  }

  /** Checks the trailers; nothing else reads them. @returns the reason if they are invalid @throws as `head` */
  wrongTrailers(bytes: Uint8Array, start: number, end: number, ends: boolean): string | undefined {
    if (!ends) return "a second head came";
    const fields = decodedFields(bytes, start, end, HEADER_LIST_MAX_BYTES);
    return fields === undefined ? TOO_MANY : wrongField(fields);
  }
}

interface ResponseHead extends ExchangeHead {
  /** The value of `content-length`, if the head has one. */
  readonly contentBytes?: number;
}

/** Fields that describe a connection of HTTP/1.1; HTTP/2 forbids them. */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
/** Token characters without capitals: HTTP/2 requires lower-case names. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// oxlint-disable-next-line no-control-regex -- these are the very characters that must not be there
const FORBIDDEN_IN_VALUE = /[\0\r\n]/;

/** Joins the values of equal names. @returns a text with the reason if the fields are not the head of a response */
function responseHead(fields: readonly Field[]): ResponseHead | string {
  const [first, ...rest] = fields;
  if (first?.[0] !== ":status" || !/^[1-9]\d\d$/.test(first[1])) return "its first field is not a status";
  const wrong = wrongField(rest);
  if (wrong !== undefined) return wrong;
  // The peer chooses the names, so the object must inherit nothing.
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

/** @returns the reason why a field is invalid; undefined if all are valid. Pseudo-fields are invalid here. */
function wrongField(fields: readonly Field[]): string | undefined {
  for (const [name, value] of fields) {
    if (!NAME.test(name)) return "it has a field that is not allowed there";
    if (CONNECTION_FIELDS.has(name)) return `it has the field ${name}`;
    if (FORBIDDEN_IN_VALUE.test(value)) return `its field ${name} contains a line break`;
  }
  return undefined;
}
