/** Counts the work that a peer causes without any effect, over every transport, and says when it is a flood. */
import { TransportError } from "../../../engine/ports/endpoints.ts";

/**
 * The limit of units within one period; a normal peer causes a handful. A unit is one frame or one piece of content, or 1 KiB
 * of frames without effect; a head without effect counts as ten more.
 */
const UNITS_MAX = 10_000;
/** Only many units in a short time are a flood. */
const PERIOD_MS = 40_000;
const IDLE_HEAD_UNITS = 10;
const UNIT_BYTES = 1_024;
/**
 * Content makes up for the work that it causes from this many bytes a piece on. So pieces of a byte each count as work
 * without effect, and the head of a message (8 bytes) does not.
 */
const CONTENT_UNIT_BYTES = 8;

export class IdleWork {
  #units = 0;
  #sinceMs = Date.now();

  /** One frame, before its effect is known. @returns true for a flood */
  frame(): boolean {
    this.#units += 1;
    return this.#units > UNITS_MAX && this.#isFlood();
  }

  /** A head that answers no request, such as one with a status below 200. @returns true for a flood */
  head(): boolean {
    this.#units += IDLE_HEAD_UNITS - 1;
    return this.frame();
  }

  /** Bytes that carry nothing. They count at the next frame. */
  bytes(size: number): void {
    this.#units += size / UNIT_BYTES;
  }

  /** Bytes of an answer. */
  content(size: number): void {
    this.#units = Math.max(0, this.#units - size / CONTENT_UNIT_BYTES);
  }

  /** An answer began or ended, or the peer took content. */
  progress(): void {
    this.#units = 0;
  }

  #isFlood(): boolean {
    const nowMs = Date.now();
    if (nowMs - this.#sinceMs < PERIOD_MS) return true;
    this.#sinceMs = nowMs;
    this.#units = 1;
    return false;
  }
}

/** @param what the frames or bytes that came, as the subject of a sentence */
export function flood(host: string, what: string): TransportError {
  return new TransportError(
    "flood",
    `The deployment at ${host} floods this server: ${what}, and carry nothing of an answer. This server has ended the connection.`,
  );
}
