/** Unpacks the body of an answer piece by piece, only as fast as its reader reads, and never beyond a limit. */
import type { Transform } from "node:stream";
import { TransportError } from "../../engine/ports/endpoints.ts";
import { unlikely } from "./function-event.ts";

/**
 * The limit of an unpacked answer. It exceeds what one attempt may add. The reader's own budget bounds what is in memory: a
 * reader that has no room reads no further piece, and no further piece is unpacked.
 */
export const UNPACKED_MAX_BYTES = 64 * 1024 * 1024;

export class UnpackedBody {
  readonly #stream: Transform;
  readonly #pieces: AsyncIterator<Uint8Array>;
  #bytes = 0;

  /** @param stream unpacks what is written to it */
  constructor(packed: Uint8Array, stream: Transform) {
    this.#stream = stream;
    this.#pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    stream.end(packed);
  }

  /** The next bytes; undefined after the last. @throws TransportError */
  async next(): Promise<Uint8Array | undefined> {
    const piece = await this.#pieces.next().catch((cause: unknown) => {
      throw unlikely("its body cannot be decompressed", cause);
    });
    if (piece.done === true) return undefined;
    this.#bytes += piece.value.length;
    if (this.#bytes <= UNPACKED_MAX_BYTES) return piece.value;
    this.close();
    throw new TransportError(
      "too-large",
      `the function's answer unpacks to more than ${UNPACKED_MAX_BYTES} bytes, and no more are read`,
    );
  }

  /** Unpacks no more. */
  close(): void {
    this.#stream.destroy();
  }
}
