/** Reads the spans of an OTLP export request from its protobuf bytes: only the fields that tests use. */

export interface ReadSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** In the order in which the exporter sends them. */
  readonly events: readonly ReadEvent[];
  readonly droppedEvents: number;
  /** `<trace id> <span id>` of each link. */
  readonly links: readonly string[];
  /** 2 is an error. */
  readonly status: number;
  readonly message: string;
  /** The service name of the resource. */
  readonly service: string;
}

export interface ReadEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: ReadSpan["attributes"];
}

type Fields = ReadonlyMap<number, readonly (Uint8Array | bigint)[]>;

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;
const NANOS_PER_MS = 1_000_000n;

/** @throws Error for bytes that are no message */
function fieldsOf(bytes: Uint8Array): Fields {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = new Map<number, (Uint8Array | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const value = (wire: number): Uint8Array | bigint => {
    if (wire === VARINT) return varint();
    const size = wire === LENGTH ? Number(varint()) : wire === FIXED64 ? 8 : wire === FIXED32 ? 4 : Number.NaN;
    if (!(at + size <= bytes.length)) throw new Error(`no message: wire type ${wire} at byte ${at}`);
    at += size;
    if (wire === FIXED64) return view.getBigUint64(at - size, true);
    return bytes.subarray(at - size, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value(tag & 7)]);
  }
  return fields;
}

const all = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((value) => fieldsOf(value as Uint8Array));
const text = (fields: Fields, number: number): string => Buffer.from(bytesOf(fields, number)).toString();
const digits = (fields: Fields, number: number): string => Buffer.from(bytesOf(fields, number)).toString("hex");
const numberOf = (fields: Fields, number: number): bigint => (fields.get(number)?.[0] as bigint | undefined) ?? 0n;

function bytesOf(fields: Fields, number: number): Uint8Array {
  return (fields.get(number)?.[0] as Uint8Array | undefined) ?? new Uint8Array();
}

/** Field 1 of an attribute's value is a text, field 2 a truth value, field 3 a whole number. */
function attributesOf(pairs: readonly Fields[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value] = all(pair, 2);
      if (value!.has(2)) return [text(pair, 1), numberOf(value!, 2) === 1n];
      return [text(pair, 1), value!.has(3) ? Number(numberOf(value!, 3)) : text(value!, 1)];
    }),
  );
}

export function readSpans(body: Uint8Array): ReadSpan[] {
  return all(fieldsOf(body), 1).flatMap((ofResource) => {
    const resource = attributesOf(all(all(ofResource, 1)[0]!, 1));
    const spans = all(ofResource, 2).flatMap((ofScope) => all(ofScope, 2));
    return spans.map((span) => {
      const [status] = all(span, 15);
      return {
        traceId: digits(span, 1),
        spanId: digits(span, 2),
        parentSpanId: digits(span, 4),
        name: text(span, 5),
        kind: Number(numberOf(span, 6)),
        startedAtMs: Number(numberOf(span, 7) / NANOS_PER_MS),
        endedAtMs: Number(numberOf(span, 8) / NANOS_PER_MS),
        attributes: attributesOf(all(span, 9)),
        events: all(span, 11).map((event) => ({
          name: text(event, 2),
          atMs: Number(numberOf(event, 1) / NANOS_PER_MS),
          attributes: attributesOf(all(event, 3)),
        })),
        droppedEvents: Number(numberOf(span, 12)),
        links: all(span, 13).map((link) => `${digits(link, 1)} ${digits(link, 2)}`),
        status: status === undefined ? 0 : Number(numberOf(status, 3)),
        message: status === undefined ? "" : text(status, 2),
        service: String(resource["service.name"]),
      };
    });
  });
}
