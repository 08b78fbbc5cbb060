/** A record of a topic, as every source of records presents it, and the request that it becomes. */
import { base64url } from "../model/base64url.ts";
import type { Header } from "../model/header.ts";
import type { SubscriptionId } from "../model/ids.ts";
import type { HandlerType } from "../model/target.ts";
import { readTraceparent } from "../model/trace-context.ts";

export interface RecordHeader {
  readonly name: string;
  readonly value: Uint8Array;
}

export interface TopicRecord {
  readonly offset: number;
  /** Absent for records of a format without timestamps. */
  readonly timestampMs?: number;
  /** Absent for a record with a null key. */
  readonly key?: Uint8Array;
  /** Absent for a record with a null value. */
  readonly value?: Uint8Array;
  readonly headers: readonly RecordHeader[];
}

/** Where the records of one batch come from. */
export interface RecordOrigin {
  readonly subscriptionId: SubscriptionId;
  readonly topic: string;
  readonly partition: number;
}

export interface RecordLimits {
  /** The limit for the size of a record's value, which becomes the input. */
  readonly valueMaxBytes: number;
}

export type BadRecordReason = "value-too-large" | "key-too-large" | "key-not-utf8";

/** The request of the invocation that a record starts. `key` is the object key or the workflow id; absent for plain services. */
export interface RecordRequest {
  readonly kind: "request";
  readonly key?: string;
  readonly input: Uint8Array;
  readonly headers: readonly Header[];
  readonly traceparent?: string;
}

export type MappedRecord =
  | RecordRequest
  | { readonly kind: "bad"; readonly reason: BadRecordReason; readonly detail: string };

/** A key becomes part of headers, logs and lists, so it has the size of a header at most. */
export const RECORD_KEY_MAX_BYTES = 16 * 1024;

const TRACEPARENT = "traceparent";
const TRACEPARENT_MAX_BYTES = 256;
const NOTHING = new Uint8Array(0);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A subscription may start handlers of any type. So a handler with a key gets the empty key for a record with a null key. A null
 * value becomes the empty input.
 */
export function requestOf(
  record: TopicRecord,
  origin: RecordOrigin,
  handlerType: HandlerType,
  { valueMaxBytes }: RecordLimits,
): MappedRecord {
  const { key: keyBytes, value: input = NOTHING } = record;
  if (input.length > valueMaxBytes)
    return bad("value-too-large", `the value has ${input.length} bytes, and at most ${valueMaxBytes} are accepted`);
  if (keyBytes !== undefined && keyBytes.length > RECORD_KEY_MAX_BYTES)
    return bad(
      "key-too-large",
      `the key has ${keyBytes.length} bytes, and at most ${RECORD_KEY_MAX_BYTES} are accepted`,
    );
  const key = handlerType === "service" ? undefined : textOf(keyBytes ?? NOTHING);
  if (key === undefined && handlerType !== "service")
    return bad("key-not-utf8", "the key is not UTF-8, and the handler needs a text as its object key or workflow id");
  const traceparent = traceparentOf(record.headers);
  return {
    kind: "request",
    ...(key !== undefined && { key }),
    input,
    headers: originHeaders(record, origin),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/**
 * The headers in which handlers that were written for Restate look for the origin of a record. The headers of the record itself
 * stay out, because they may contain credentials.
 */
function originHeaders({ key, offset, timestampMs }: TopicRecord, origin: RecordOrigin): readonly Header[] {
  return [
    { key: "kafka.offset", value: String(offset) },
    { key: "kafka.topic", value: origin.topic },
    { key: "kafka.partition", value: String(origin.partition) },
    ...(timestampMs === undefined ? [] : [{ key: "kafka.timestamp", value: String(timestampMs) }]),
    { key: "restate.subscription.id", value: origin.subscriptionId },
    ...(key === undefined ? [] : [{ key: "kafka.key", value: padded(base64url(key)) }]),
  ];
}

function padded(digits: string): string {
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, "=");
}

/** The trace context of the record; undefined if absent or invalid. The last header of the name counts. */
function traceparentOf(headers: readonly RecordHeader[]): string | undefined {
  const value = headers.findLast(({ name }) => name.toLowerCase() === TRACEPARENT)?.value;
  if (value === undefined || value.length > TRACEPARENT_MAX_BYTES) return undefined;
  const text = textOf(value);
  return text !== undefined && readTraceparent(text) !== undefined ? text : undefined;
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function bad(reason: BadRecordReason, detail: string): MappedRecord {
  return { kind: "bad", reason, detail };
}

/**
 * The id of the subscription also identifies the cluster. After a reset to earlier records, the subscription invokes its handler
 * for these records again, so the number of the reset is part of the identity. The timestamp distinguishes the records of a
 * topic that was deleted and created again, whose offsets begin again at 0.
 */
export function recordIdentity(
  { subscriptionId, topic, partition }: RecordOrigin,
  { offset, timestampMs }: Pick<TopicRecord, "offset" | "timestampMs">,
  resetNumber: number,
): readonly string[] {
  const at = timestampMs === undefined ? "" : String(timestampMs);
  return ["rec", subscriptionId, String(resetNumber), topic, String(partition), String(offset), at];
}
