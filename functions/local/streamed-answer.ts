/**
 * Writes an answer in pieces, and breaks the answer off at an error. The writer asks for a piece only when the client has
 * taken the previous piece.
 */
import type { ServerResponse } from "node:http";
import { breakOff, writeStreamedHead } from "./http-answer.ts";
import type { Outgoing } from "./http-answer.ts";
import type { HttpResponse } from "../../shared/api/http/message.ts";

export interface StreamedResponse extends HttpResponse {
  readonly rest: AsyncIterable<Uint8Array>;
}

export function isStreamed(response: HttpResponse): response is StreamedResponse {
  return response.rest !== undefined;
}

/**
 * The client recognizes a broken answer: over HTTP/1.1 the last chunk is missing, over HTTP/2 the stream is reset.
 * @param unreadMs how long the client may take nothing
 */
export async function writeStreamed(
  outgoing: Outgoing,
  response: StreamedResponse,
  { isLast, unreadMs }: { readonly isLast: boolean; readonly unreadMs: number },
): Promise<void> {
  const { body, rest } = response;
  writeStreamedHead(outgoing, response, isLast);
  try {
    await taken(outgoing, body, unreadMs);
    for await (const piece of rest) await taken(outgoing, piece, unreadMs);
    outgoing.end();
  } catch {
    // The source of the pieces has logged its error. A client that has left needs no answer.
    if (!outgoing.destroyed) breakOff(outgoing);
  }
}

/** Resolves when the client's system has taken the piece. @throws Error if the client leaves, or takes nothing in time */
function taken(outgoing: Outgoing, piece: Uint8Array, unreadMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: Error | null): void => {
      clearTimeout(timer);
      outgoing.off("close", onClose);
      if (error) reject(error);
      else resolve();
    };
    const onClose = (): void => finish(new Error("the client has left"));
    const timer = setTimeout(() => finish(new Error(`the client took nothing for ${unreadMs} ms`)), unreadMs);
    if (outgoing.destroyed) return onClose();
    outgoing.once("close", onClose);
    // Both types have this method, with different overloads.
    (outgoing as ServerResponse).write(piece, finish);
  });
}
