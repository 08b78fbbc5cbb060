/** Reads the body of one request, within its limit and within the memory for bodies. */
import { type Account, UNCOUNTED_BYTES } from "../../shared/engine/bulkheads/budget.ts";
import type { TransferRoom, Mover } from "./transfer-room.ts";
import type { Incoming } from "./incoming.ts";

/** `no-room`: other bodies hold the memory, or the body arrived too slowly while other requests waited. */
export type BodyFailure = "too-large" | "broken" | "no-room";

export interface BodyRead {
  readonly body: Uint8Array;
  /** Holds the room of a counted body until the consumer of the body closes the account. */
  readonly account: Account | undefined;
}

/** Reads by events: an async iterator would destroy the connection of an unread body, and the refusal with it. */
export function readBody(
  incoming: Incoming,
  maxBytes: number,
  room: TransferRoom | undefined,
): Promise<BodyRead | BodyFailure> {
  return new Promise((resolve) => new BodyReading(incoming, maxBytes, room, resolve));
}

class BodyReading {
  readonly #incoming: Incoming;
  readonly #maxBytes: number;
  readonly #room: TransferRoom | undefined;
  readonly #resolve: (outcome: BodyRead | BodyFailure) => void;
  #pieces: Buffer[] = [];
  #sizeBytes = 0;
  #account: Account | undefined;
  #mover: Mover | undefined;
  #isOver = false;

  constructor(
    incoming: Incoming,
    maxBytes: number,
    room: TransferRoom | undefined,
    resolve: (outcome: BodyRead | BodyFailure) => void,
  ) {
    this.#incoming = incoming;
    this.#maxBytes = maxBytes;
    this.#room = room;
    this.#resolve = resolve;
    incoming.on("data", (piece: Buffer) => this.#add(piece));
    incoming.once("end", () => this.#end());
    // After the end these events have no effect.
    incoming.once("error", () => this.#fail("broken"));
    incoming.once("close", () => this.#fail("broken"));
  }

  #add(piece: Buffer): void {
    if (this.#isOver) return;
    this.#sizeBytes += piece.length;
    if (this.#sizeBytes > this.#maxBytes) {
      this.#incoming.pause();
      return this.#fail("too-large");
    }
    this.#pieces.push(piece);
    if (this.#sizeBytes > UNCOUNTED_BYTES && this.#room !== undefined) this.#count(this.#room);
  }

  /** The declared length takes no room, because only received bytes take memory. */
  #count(room: TransferRoom): void {
    this.#account ??= room.open(this.#incoming);
    this.#mover ??= room.mover(() => this.#fail("no-room"));
    this.#mover.moved();
    const grown = room.fill(this.#account, this.#sizeBytes);
    if (grown === true) return;
    // Reading pauses, so that flow control stops the sender.
    this.#incoming.pause();
    this.#mover.rest();
    void grown.then((isGranted) => this.#goOn(isGranted));
  }

  #goOn(isGranted: boolean): void {
    if (this.#isOver) return;
    if (!isGranted) return this.#fail("no-room");
    this.#mover?.moved();
    this.#incoming.resume();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#mover?.end();
    const body = joined(this.#pieces);
    // The stream lives until the answer has ended, and its event listeners would keep the pieces in memory.
    this.#pieces = [];
    this.#resolve({ body, account: this.#account });
  }

  #fail(failure: BodyFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pieces = [];
    this.#mover?.end();
    this.#account?.close();
    this.#resolve(failure);
  }
}

/** A view of the single buffer if there is one, because most bodies arrive in one piece. */
function joined(pieces: readonly Buffer[]): Uint8Array {
  const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  return new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength);
}
