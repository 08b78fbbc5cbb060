/** Reads header blocks of responses. It caches the last block, because most responses of a peer have equal heads. */
import { HEADER_LIST_MAX_BYTES } from "../exchange/multiplexed-connection.ts";
import { decodedFields } from "./header-decoder.ts";
import { responseHead, wrongField } from "./response-head.ts";
import type { ResponseHead } from "./response-head.ts";

/** Longer blocks are not cached. */
const REMEMBERED_MAX_BYTES = 1024;
const TOO_MANY = "more headers came than were allowed";

export class ResponseReader {
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
