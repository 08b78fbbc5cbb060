/** The open streams of one connection: this side opens them, the peer answers, either side closes them. */
import { TransientMap } from "../../../core/model/transient-map.ts";
import type { TransportError, ExchangeHead } from "../../../engine/ports/endpoints.ts";
import type { CarriedExchange } from "../exchange/carried-exchange.ts";
import { broken, httpOneOnly } from "../exchange/failures.ts";
import {
  CONNECTION_WINDOW_BYTES,
  ReceiveWindow,
  STREAM_WINDOW_BYTES,
  STREAM_WINDOW_INITIAL_BYTES,
  WindowGrowth,
} from "./receive-window.ts";
import type { ParsedUri } from "../exchange/parsed-uri.ts";
import {
  CODE,
  codeName,
  ConnectionError,
  FLAG,
  FRAME,
  MAX_31_BITS,
  REFUSALS,
  SETTING,
  type FrameReader,
} from "./frames.ts";
import type { GatheredWrites } from "./gathered-writes.ts";
import { Http2Stream, type StreamOwner } from "./http2-stream.ts";
import type { FrameReceiver } from "./inbound-frames.ts";
import { OutboundData } from "./outbound-data.ts";
import { RequestEncoder } from "./request-encoder.ts";
import { HEADER_LIST_MAX_BYTES } from "../exchange/end-to-end-headers.ts";
import { decodedFields, type Field } from "./header-decoder.ts";

/** Receives the events that concern the whole connection. */
export interface StreamsOwner {
  onClosed(): void;
  onLimit(streamsMax: number): void;
  onPing(bytes: Uint8Array, start: number, isAnswer: boolean): void;
  onGoodbye(code: number): void;
  /** The peer refused a request. */
  onRefusal(): void;
  /** The peer did not process this request, so it can be sent again. @param isNew true before the first answer */
  onRefused(exchange: CarriedExchange, target: ParsedUri, isNew: boolean): void;
  /** The peer accepted sent bytes. */
  onProgress(): void;
}

export class OpenStreams implements FrameReceiver, StreamOwner {
  readonly #writes: GatheredWrites;
  readonly #origin: URL;
  readonly #owner: StreamsOwner;
  readonly #encoder = new RequestEncoder();
  readonly #responses = new ResponseReader();
  readonly #outbound: OutboundData;
  readonly #receiveWindow = new ReceiveWindow(CONNECTION_WINDOW_BYTES);
  readonly #growing = { from: new WindowGrowth(CONNECTION_WINDOW_BYTES), maxBytes: STREAM_WINDOW_BYTES };
  readonly #streams = new TransientMap<number, Http2Stream>();
  readonly #abandoned = new AbandonedStreams();
  #nextId = 1;
  #streamsMax: number;
  #limitSaid = false;
  #hasAnswered = false;

  constructor(writes: GatheredWrites, origin: URL, owner: StreamsOwner, streamsAssumed: number) {
    this.#writes = writes;
    this.#origin = origin;
    this.#owner = owner;
    this.#streamsMax = streamsAssumed;
    this.#outbound = new OutboundData(writes);
  }

  get count(): number {
    return this.#streams.size;
  }

  get hasRoom(): boolean {
    return this.#streams.size < this.#streamsMax;
  }

  /** True if no stream id is left. */
  get isUsedUp(): boolean {
    return this.#nextId > MAX_31_BITS;
  }

  open(exchange: CarriedExchange, target: ParsedUri): void {
    const { request } = exchange;
    let block: Uint8Array;
    try {
      block = this.#encoder.encode(request, target);
    } catch (error) {
      exchange.fail(broken(error, this.#origin));
      return;
    }
    const receive = new ReceiveWindow(STREAM_WINDOW_INITIAL_BYTES, this.#growing);
    const windows = { send: this.#outbound.initialWindow, receive };
    const stream = new Http2Stream(this.#nextId, exchange, target, this, windows);
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    for (const part of request.body) stream.queue(part);
    stream.ends = request.halfClose;
    stream.ended = stream.ends && stream.queuedBytes === 0;
    const flags = stream.ended ? FLAG.END_STREAM : FLAG.NONE;
    this.#writes.headers(stream.id, flags, block, this.#outbound.frameMaxBytes);
    this.#outbound.send(stream);
    exchange.attach(stream);
    // The only open request goes out at once; more requests go out together at the end of the event loop's turn.
    if (this.#streams.size === 1) this.#writes.flush();
  }

  onDrained(): void {
    this.#outbound.drained();
  }

  /**
   * @param unfinished an incomplete frame; if it has content, the received part is delivered
   * @param refuses true if the peer refused requests: then another connection may take those without an answer
   */
  breakAll(failure: TransportError, unfinished: ReturnType<FrameReader["unfinished"]>, refuses: boolean): void {
    if (unfinished?.type === FRAME.DATA && (unfinished.flags & FLAG.PADDED) === 0) {
      const stream = this.#streams.get(unfinished.streamId);
      if (stream?.hasHead === true) stream.exchange.deliver(unfinished.payload);
    }
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const { exchange, target } of streams) {
      if (refuses && exchange.isReplayable) this.#owner.onRefused(exchange, target, !this.#hasAnswered);
      else exchange.fail(failure);
    }
  }

  onQueued(stream: Http2Stream): void {
    if (this.#streams.has(stream.id)) this.#outbound.send(stream);
  }

  onGivenUp(stream: Http2Stream): void {
    if (this.#streams.has(stream.id)) this.#reset(stream, CODE.CANCEL);
  }

  onResumed(stream: Http2Stream): void {
    if (this.#streams.has(stream.id)) this.#giveBack(stream.receiveWindow, stream.id, Infinity);
  }

  onData(streamId: number, ends: boolean, bytes: Uint8Array, start: number, end: number, size: number): boolean {
    const stream = this.#streams.get(streamId) ?? this.#closed(streamId);
    // The connection's window is restored even if no reader takes the bytes, because one slow reader must not stop the
    // others. The window of each stream limits the memory instead: it starts small and grows only while the reader of the
    // stream keeps up.
    this.#receiveWindow.take(size);
    this.#giveBack(this.#receiveWindow, 0);
    if (stream === undefined) return false;
    if (!stream.hasHead) return this.#fault(stream, CODE.PROTOCOL_ERROR, "content came before its head");
    if (!stream.receiveWindow.take(size)) {
      return this.#fault(stream, CODE.FLOW_CONTROL_ERROR, "more content came than its window allows");
    }
    if (stream.contentLeftBytes !== undefined) {
      stream.contentLeftBytes -= end - start;
      if (stream.contentLeftBytes < 0) return this.#fault(stream, CODE.PROTOCOL_ERROR, "more content came than said");
    }
    if (end > start) stream.exchange.deliver(bytes.subarray(start, end));
    if (ends) this.#peerEnded(stream);
    else if (!stream.isPaused) this.#giveBack(stream.receiveWindow, stream.id, stream.exchange.unreadBytes);
    return true;
  }

  onHeaders(streamId: number, ends: boolean, bytes: Uint8Array, start: number, end: number): boolean {
    const stream = this.#streams.get(streamId) ?? this.#closed(streamId);
    if (stream === undefined) return false;
    if (stream.hasHead) {
      const wrong = this.#responses.wrongTrailers(bytes, start, end, ends);
      if (wrong !== undefined) return this.#fault(stream, CODE.PROTOCOL_ERROR, wrong);
      this.#peerEnded(stream);
      return true;
    }
    const head = this.#responses.head(bytes, start, end);
    if (typeof head === "string") return this.#fault(stream, CODE.PROTOCOL_ERROR, head);
    if (head.status < 200) {
      // A status below 200 only announces the answer; HTTP/2 forbids 101.
      if (ends || head.status === 101) this.#fault(stream, CODE.PROTOCOL_ERROR, `status ${head.status} is no answer`);
      return false;
    }
    stream.hasHead = true;
    this.#hasAnswered = true;
    // Responses with 204 and 304 may have a content-length without content.
    if (head.status !== 204 && head.status !== 304) stream.contentLeftBytes = head.contentBytes;
    stream.exchange.accept(head);
    if (ends) this.#peerEnded(stream);
    return true;
  }

  onReset(streamId: number, code: number): void {
    const stream = this.#streams.get(streamId) ?? this.#late(streamId);
    if (stream === undefined) return;
    this.#forget(stream);
    const isRefusal = REFUSALS.has(code) && !stream.hasHead;
    if (isRefusal) this.#owner.onRefusal();
    if (isRefusal && stream.exchange.isReplayable) this.#refused(stream);
    else if (code === CODE.HTTP_1_1_REQUIRED) stream.exchange.fail(httpOneOnly(this.#origin));
    else stream.exchange.fail(this.#broken(`the peer reset the stream (${codeName(code)})`));
    this.#owner.onClosed();
  }

  onSettings(settings: ReadonlyMap<number, number>): void {
    const frameMaxBytes = settings.get(SETTING.MAX_FRAME_SIZE);
    if (frameMaxBytes !== undefined) this.#outbound.frameMaxBytes = frameMaxBytes;
    const window = settings.get(SETTING.INITIAL_WINDOW_SIZE);
    if (window !== undefined) this.#outbound.resize(window, this.#streams.values());
    const limit = settings.get(SETTING.MAX_CONCURRENT_STREAMS);
    if (limit !== undefined) this.#streamsMax = limit;
    else if (!this.#limitSaid) this.#streamsMax = Number.POSITIVE_INFINITY;
    this.#limitSaid = true;
    this.#owner.onLimit(this.#streamsMax);
  }

  onPing(bytes: Uint8Array, start: number, isAnswer: boolean): void {
    this.#owner.onPing(bytes, start, isAnswer);
  }

  onGoodbye(lastStreamId: number, code: number): void {
    const leftOut = [...this.#streams.values()].filter(({ id }) => id > lastStreamId);
    for (const stream of leftOut) this.#abandon(stream);
    this.#owner.onGoodbye(code);
    for (const stream of leftOut) this.#refused(stream);
  }

  onWindow(streamId: number, bytes: number): void {
    if (this.#outbound.hasSent()) this.#owner.onProgress();
    if (streamId === 0) {
      if (bytes === 0) throw new ConnectionError(CODE.PROTOCOL_ERROR, "a window update of zero bytes");
      this.#outbound.grow(bytes);
      return;
    }
    const stream = this.#streams.get(streamId) ?? this.#late(streamId);
    if (stream === undefined) return;
    if (bytes === 0) this.#fault(stream, CODE.PROTOCOL_ERROR, "a window update of zero bytes for the stream");
    else if (!this.#outbound.growStream(stream, bytes))
      this.#fault(stream, CODE.FLOW_CONTROL_ERROR, "the stream's window was opened beyond its maximum");
  }

  onStreamError(streamId: number, code: number, message: string): void {
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) this.#fault(stream, code, message);
  }

  /** Ends the exchange after the peer's end; the peer would not read any further bytes. */
  #peerEnded(stream: Http2Stream): void {
    if (stream.contentLeftBytes !== undefined && stream.contentLeftBytes > 0) {
      this.#fault(stream, CODE.PROTOCOL_ERROR, "less content came than said");
      return;
    }
    stream.exchange.finish();
    if (stream.queuedBytes > 0) return this.#reset(stream, CODE.CANCEL);
    stream.ends = true;
    this.#outbound.send(stream);
    this.#forget(stream);
    this.#owner.onClosed();
  }

  /** Fails one stream on which the peer broke a rule; the other streams continue. @returns false: no exchange advanced */
  #fault(stream: Http2Stream, code: number, message: string): false {
    stream.exchange.fail(this.#broken(message));
    this.#reset(stream, code);
    return false;
  }

  #reset(stream: Http2Stream, code: number): void {
    this.#writes.number(FRAME.RST_STREAM, stream.id, code);
    this.#abandon(stream);
    this.#owner.onClosed();
  }

  #refused(stream: Http2Stream): void {
    if (stream.exchange.isReplayable) this.#owner.onRefused(stream.exchange, stream.target, !this.#hasAnswered);
    else stream.exchange.fail(this.#broken("the peer did not take the request"));
  }

  #forget(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    stream.receiveWindow.close();
    this.#outbound.forget(stream);
  }

  /** Closes the stream and remembers its id, because the peer may send more frames before the reset reaches the peer. */
  #abandon(stream: Http2Stream): void {
    this.#forget(stream);
    this.#abandoned.add(stream.id);
  }

  #giveBack(window: ReceiveWindow, streamId: number, unreadBytes = 0): void {
    const bytes = window.due(unreadBytes);
    if (bytes > 0) this.#writes.number(FRAME.WINDOW_UPDATE, streamId, bytes);
  }

  /** Accepts late content for a stream that this side reset. @throws ConnectionError if the peer had ended the stream */
  #closed(streamId: number): undefined {
    this.#late(streamId);
    if (!this.#abandoned.excuses(streamId))
      throw new ConnectionError(CODE.STREAM_CLOSED, "a frame came after the end of its stream");
  }

  /** Accepts a late reset or window update for a closed stream. @throws ConnectionError for a stream that was never opened */
  #late(streamId: number): undefined {
    if (streamId % 2 === 1 && streamId < this.#nextId) return;
    throw new ConnectionError(CODE.PROTOCOL_ERROR, `a frame names stream ${streamId}, which was never opened`);
  }

  #broken(message: string): TransportError {
    return broken(new Error(message), this.#origin);
  }
}

const REMEMBERED_MAX = 1_000;

/** Remembers the streams that this side reset: frames that were under way at the reset are no errors. */
class AbandonedStreams {
  /** The most recent ones. */
  readonly #ids = new Set<number>();
  /** Every closed stream with this id or a lower one is excused, because `#ids` drops its oldest ids. */
  #excusedUpTo = 0;

  add(id: number): void {
    this.#ids.add(id);
    if (this.#ids.size <= REMEMBERED_MAX) return;
    const [oldest = 0] = this.#ids;
    this.#ids.delete(oldest);
    this.#excusedUpTo = Math.max(this.#excusedUpTo, oldest);
  }

  /** True if a late frame for this closed stream is no error. */
  excuses(id: number): boolean {
    return id <= this.#excusedUpTo || this.#ids.has(id);
  }
}

/** Longer blocks are not cached. */
const REMEMBERED_MAX_BYTES = 1024;
const TOO_MANY = "more headers came than were allowed";

/** Reads the header blocks of one response, and checks its head. */
class ResponseReader {
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
