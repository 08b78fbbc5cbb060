/** Blocks of headers that come in answers, read with a memory of the last one: most answers of a peer begin alike. */
import { decodedFields } from "./header-decoder.ts";
import { responseHead, wrongField } from "./response-head.ts";
import type { ResponseHead } from "./response-head.ts";

/** Names and values of one head together, 32 bytes added for each; we tell the peer. */
export const HEADER_LIST_MAX_BYTES = 64 * 1024;
/** Longer blocks are not remembered. */
const REMEMBERED_MAX_BYTES = 1024;
const TOO_MANY = "more headers came than were allowed";

export class ResponseReader {
  // Without a dynamic table, equal blocks mean equal heads.
  #lastBlock: Buffer | undefined;
  #lastHead: ResponseHead | undefined;

  /** @returns what is wrong, where it is no head; @throws ConnectionError where it cannot be read */
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

  /** Trailers are passed over, but they must be trailers. @returns what is wrong; @throws as `head` */
  wrongTrailers(bytes: Uint8Array, start: number, end: number, ends: boolean): string | undefined {
    if (!ends) return "a second head came";
    const fields = decodedFields(bytes, start, end, HEADER_LIST_MAX_BYTES);
    return fields === undefined ? TOO_MANY : wrongField(fields);
  }
}
