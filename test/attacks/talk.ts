/** Handlers that talk with the server while their request is open: they read its frames as they come. */
import { encodeAwakeableId } from "../../shared/core/protocol/awakeable-id.ts";
import { NOTIFICATIONS, NotificationMessage } from "../../shared/core/protocol/notifications.ts";
import { COMMANDS } from "../../shared/core/protocol/commands.ts";
import { StartMessage, CONTROL } from "../../shared/core/protocol/control-messages.ts";
import { type Frame, FrameReader } from "../../shared/core/protocol/frame.ts";
import { decode } from "../../shared/core/model/proto3-decode.ts";
import type { Talk, Talker } from "./attack.ts";
import { CODE, field, message, output, varint } from "./messages.ts";

/** The index of a handler's first awakeable. */
const FIRST_AWAKEABLE = 17;

export interface Listener {
  onFrame(frame: Frame): void;
  /** The server has ended its side. */
  onHalfClose?(): void;
}

/** Answers with a head, and gives each frame to the listener as it comes. */
export function listenTo({ stream, contentType }: Talk, { onFrame, onHalfClose }: Listener): void {
  const reader = new FrameReader(Infinity);
  stream.respond({ ":status": 200, "content-type": contentType });
  stream.on("data", (part: Buffer) => {
    reader.push(part);
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) onFrame(frame);
  });
  stream.once("end", () => {
    if (!stream.destroyed && !stream.writableEnded) onHalfClose?.();
  });
}

/** Counts the open requests of handlers that wait, and keeps their awakeables. */
export class Waiting {
  /** The awakeables, by the input of their invocations. */
  readonly awakeables = new Map<string, string>();
  /** The requests that are open on both sides now, and the most that there were at a time. */
  open = 0;
  openPeak = 0;
  readonly #awaited = new Map<string, () => void>();

  /** Resolves when a request with this input has come. */
  async comes(input: string): Promise<void> {
    if (!this.awakeables.has(input)) await new Promise<void>((resolve) => this.#awaited.set(input, resolve));
  }

  /** Waits for an awakeable, and returns the input and the value of the awakeable. */
  readonly talker: Talker = (talk) => {
    const { stream } = talk;
    let awakeable = "";
    let input = "";
    let isOpen = true;
    this.openPeak = Math.max(this.openPeak, ++this.open);
    const close = (): void => {
      if (isOpen) this.open -= 1;
      isOpen = false;
    };
    stream.once("close", close);
    listenTo(talk, {
      onFrame: ({ type, payload }) => {
        if (type === CONTROL.Start) awakeable = encodeAwakeableId(decode(StartMessage, payload).id, FIRST_AWAKEABLE);
        if (type === COMMANDS.Input.code) {
          input = Buffer.from(decode(COMMANDS.Input.type, payload).value!.content).toString();
          this.awakeables.set(input, awakeable);
          this.#awaited.get(input)?.();
          this.#awaited.delete(input);
        }
        if (type !== NOTIFICATIONS.Signal || stream.writableEnded) return;
        const { content } = decode(NotificationMessage, payload).value!;
        stream.end(output(`${input} ${Buffer.from(content).toString()}`));
      },
      onHalfClose: () => {
        close();
        stream.end(suspension(FIRST_AWAKEABLE));
      },
    });
  };
}

/** The end of an attempt that waits for one signal, from protocol V7 on. */
function suspension(signal: number): Buffer {
  return message(CODE.suspension, field(4, field(2, Uint8Array.from(varint(signal)))));
}
