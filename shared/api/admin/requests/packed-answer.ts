/** Makes answers of the admin API shorter: compressed, or without a body if the client has the same answer already. */
import { emptyResponse, type HttpRequest, type HttpResponse } from "../../http/message.ts";

export type ContentCoding = "br" | "gzip";

/** The parts of packing that need the platform. */
export interface Packing {
  /** @returns undefined if other answers are being compressed, so that the work at one time is bounded */
  readonly compress: (bytes: Uint8Array, coding: ContentCoding) => Promise<Uint8Array | undefined>;
  /** @returns a text of letters and digits that is the same only for the same bytes */
  readonly tagOf: (bytes: Uint8Array) => string;
}

/** A shorter answer fits into one packet anyway. */
const PACKED_MIN_BYTES = 1_024;
/** A larger answer would keep a thread busy for long, and the packed copy would need memory beside the plain one. */
const PACKED_MAX_BYTES = 8 * 1024 * 1024;
const PACKED_TYPES = /^(?:application\/json|text\/)/;
/**
 * The answers of these paths contain values of handlers and of state. The length of a compressed answer tells an observer whether
 * a text that he placed is also elsewhere in the answer (BREACH), so confidential values are not compressed (ADR 0046).
 */
const VALUE_PATH = /^(?:\/v\d{1,3})?\/services\/[^/]+\/state$/;

export async function packedAnswer(
  packing: Packing,
  request: HttpRequest,
  response: HttpResponse,
): Promise<HttpResponse> {
  if (!isPackable(request, response)) return response;
  const headers = { ...response.headers, vary: "accept-encoding", etag: `W/"${packing.tagOf(response.body)}"` };
  if (namesTag(request.headers["if-none-match"], headers.etag)) return emptyResponse(304, headers);
  const coding = codingFor(request.headers["accept-encoding"]);
  const packed = coding && (await packing.compress(response.body, coding));
  if (packed === undefined || packed.length >= response.body.length) return { ...response, headers };
  return { ...response, headers: { ...headers, "content-encoding": coding! }, body: packed };
}

function isPackable({ method, path, query }: HttpRequest, { status, headers, body, rest }: HttpResponse): boolean {
  return (
    method === "GET" &&
    status === 200 &&
    rest === undefined &&
    body.length >= PACKED_MIN_BYTES &&
    body.length <= PACKED_MAX_BYTES &&
    headers["content-encoding"] === undefined &&
    PACKED_TYPES.test(headers["content-type"] ?? "") &&
    !VALUE_PATH.test(path) &&
    // The route reads only `true`, but decodes the name and the value, so any mention counts.
    !new URLSearchParams(query).has("values")
  );
}

/** The tag is weak, because it names the bytes before their compression. Tags with commas are never ours. */
function namesTag(header: string | undefined, etag: string): boolean {
  return header !== undefined && header.split(",", 16).some((one) => one.trim() === etag);
}

const CODING = /^(br|gzip)(?:;q=([\d.]{1,5}))?$/;

/** @returns the coding of the highest weight, `br` among equals; undefined if the client accepts neither by name */
export function codingFor(accepted: string | undefined): ContentCoding | undefined {
  let best: { readonly coding: ContentCoding; readonly weight: number } | undefined;
  for (const one of (accepted ?? "").toLowerCase().split(",", 32)) {
    const [, coding, weightText = "1"] = CODING.exec(one.replaceAll(" ", "")) ?? [];
    const weight = Number(weightText);
    if (coding === undefined || !(weight > 0)) continue;
    const isBetter = best === undefined || weight > best.weight || (weight === best.weight && coding === "br");
    if (isBetter) best = { coding: coding as ContentCoding, weight };
  }
  return best?.coding;
}
