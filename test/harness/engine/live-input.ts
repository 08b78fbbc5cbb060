/** The open side of an exchange to a scripted handler: the notifications that come while the handler runs. */
import { decode } from "../../../shared/core/model/proto3-decode.ts";
import { RunCompletionAckMessage, CONTROL } from "../../../shared/core/protocol/control-messages.ts";
import { FrameReader } from "../../../shared/core/protocol/frame.ts";
import { NotificationMessage } from "../../../shared/core/protocol/notifications.ts";
import type { Notification } from "./script-journal.ts";

export class LiveInput {
  readonly #reader = new FrameReader(Infinity);
  readonly #come: Notification[] = [];
  /**
   * The results that the handler proposed, by completion id. The handler receives each one when the engine acknowledges
   * it.
   */
  readonly #proposed = new Map<number, Notification>();
  #isOpen = true;
  #wake: (() => void) | undefined;
  /** Sends frames of the handler while it runs. */
  readonly #send: (frames: readonly Uint8Array[]) => void;

  constructor(send: (frames: readonly Uint8Array[]) => void) {
    this.#send = send;
  }

  send(frames: readonly Uint8Array[]): void {
    if (frames.length > 0) this.#send(frames);
  }

  propose(notification: Notification): void {
    if (notification.completionId !== undefined) this.#proposed.set(notification.completionId, notification);
  }

  write(bytes: Uint8Array): void {
    this.#reader.push(bytes);
    for (let frame = this.#reader.next(); frame !== undefined; frame = this.#reader.next()) {
      if (frame.type !== CONTROL.ProposeRunCompletionAck) {
        this.#come.push(decode(NotificationMessage, frame.payload));
        continue;
      }
      const { completionId } = decode(RunCompletionAckMessage, frame.payload);
      const proposed = this.#proposed.get(completionId);
      if (proposed === undefined) throw new Error(`an acknowledgement of ${completionId}, which was never proposed`);
      this.#come.push(proposed);
    }
    this.#wake?.();
  }

  end(): void {
    this.#isOpen = false;
    this.#wake?.();
  }

  /** @returns the next notification; undefined once this side has ended and no notification is left */
  async next(): Promise<Notification | undefined> {
    while (this.#come.length === 0 && this.#isOpen)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#come.shift();
  }
}
