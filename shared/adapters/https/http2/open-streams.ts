/** The open streams of one connection: this side opens them, the peer answers, either side closes them. */
import { TransientMap } from "../../../core/model/transient-map.ts";
import type { TransportError } from "../../../engine/ports/endpoints.ts";
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
import { AbandonedStreams } from "./abandoned-streams.ts";
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
import { ResponseReader } from "./response-reader.ts";

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
