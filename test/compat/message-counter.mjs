/**
 * Counts the messages of the service protocol in a stream of bytes that comes in pieces of any size. AwaitingOn messages do not
 * count, because how many of them the handler sends depends on when the end of the request reaches the handler.
 */

const HEADER_BYTES = 8;
const LENGTH_AT = 4;
const AWAITING_ON = 0x0006;

export class MessageCounter {
  #header = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #bodyLeft = 0;

  /** @returns the number of messages that these bytes complete */
  count(bytes) {
    let complete = 0;
    for (let at = 0; at < bytes.length;) {
      if (this.#bodyLeft > 0) {
        const taken = Math.min(this.#bodyLeft, bytes.length - at);
        at += taken;
        this.#bodyLeft -= taken;
        if (this.#bodyLeft === 0) complete += this.#weight();
        continue;
      }
      this.#header[this.#headerFilled++] = bytes[at++];
      if (this.#headerFilled < HEADER_BYTES) continue;
      this.#headerFilled = 0;
      this.#bodyLeft = this.#header.readUInt32BE(LENGTH_AT);
      if (this.#bodyLeft === 0) complete += this.#weight();
    }
    return complete;
  }

  #weight() {
    return this.#header.readUInt16BE(0) === AWAITING_ON ? 0 : 1;
  }
}
