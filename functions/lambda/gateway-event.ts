/** Requests and responses as an HTTP API hands them to a function, payload format 2.0. */
import { NO_SNIFFING } from "../../shared/api/http/message.ts";
import type { HttpRequest, HttpResponse } from "../../shared/api/http/message.ts";

/** What of the event matters here. */
export interface GatewayEvent {
  /**
   * Decoded, so that the escapes of the client are lost: an HTTP API of AWS decodes a path, cuts it at the first question
   * mark that this brings, and decodes what is left once more. No other part of the event holds the path as it was sent.
   */
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Lower-case names, several values of one name joined by commas. Cookies come beside them, and are not wanted. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestContext: {
    readonly http: { readonly method: string };
    /** The gateway's id of the request, as in its access log. */
    readonly requestId?: string;
    /** Present where the API requires IAM or a token. */
    readonly authorizer?: {
      readonly iam?: { readonly userArn?: string | null };
      readonly jwt?: { readonly claims?: Readonly<Record<string, unknown>> };
    };
  };
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export interface GatewayResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Of the whole result as JSON; what is larger never leaves the function. */
const RESULT_MAX_BYTES = 6 * 1024 * 1024;
/** Handlers choose the status of their failures; a gateway passes none beyond this. */
const STATUS_MAX = 599;

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The path is encoded again, segment by segment, because the faces decode it.
 * @param callerClaim the claim of a token that names the caller
 */
export function requestOf(event: GatewayEvent, callerClaim = "sub"): HttpRequest {
  return {
    ...whoAsks(event, callerClaim),
    method: event.requestContext.http.method.toUpperCase(),
    path: event.rawPath.split("/").map(encodeURIComponent).join("/"),
    query: event.rawQueryString ?? "",
    headers: event.headers ?? {},
    body: new Uint8Array(Buffer.from(event.body ?? "", event.isBase64Encoded === true ? "base64" : "utf8")),
  };
}

/** An event without a gateway's request id comes from a direct call of the function, whose sender may write any identity into it. */
function whoAsks(event: GatewayEvent, callerClaim: string) {
  const { requestId: gatewayRequestId } = event.requestContext;
  const caller = callerIn(event, callerClaim);
  if (gatewayRequestId !== undefined) return { gatewayRequestId, ...(caller !== undefined && { caller }) };
  return caller === undefined ? {} : { claimedCaller: caller };
}

/**
 * The ARN that IAM has authenticated, or `<issuer>#<subject>` of a token. Neither can look like the other: an issuer is an https
 * address without a fragment (OpenID Connect), which the gateway has compared with its own.
 */
function callerIn({ requestContext }: GatewayEvent, callerClaim: string): string | undefined {
  const { iam, jwt } = requestContext.authorizer ?? {};
  if (typeof iam?.userArn === "string") return iam.userArn;
  const { iss: issuer } = jwt?.claims ?? {};
  const subject = jwt?.claims?.[callerClaim];
  return typeof issuer === "string" && typeof subject === "string" ? `${issuer}#${subject}` : undefined;
}

/** @param tooLarge what is answered instead of a response that the function cannot give out */
export function resultOf(response: HttpResponse, tooLarge: (response: HttpResponse) => HttpResponse): GatewayResult {
  const result = readable(response);
  if (fits(result)) return result;
  // JSON writes a quote in two bytes and a zero in six: base64 may be shorter than the text itself.
  const packed = inBase64(response);
  return fits(packed) ? packed : readable(tooLarge(response));
}

function fits(result: GatewayResult): boolean {
  return Buffer.byteLength(JSON.stringify(result)) <= RESULT_MAX_BYTES;
}

/** Text travels as it is, and everything else in base64. */
function readable(response: HttpResponse): GatewayResult {
  try {
    return { ...headOf(response), body: STRICT_UTF8.decode(response.body), isBase64Encoded: false };
  } catch {
    return inBase64(response);
  }
}

function inBase64(response: HttpResponse): GatewayResult {
  return { ...headOf(response), body: Buffer.from(response.body).toString("base64"), isBase64Encoded: true };
}

function headOf({ status, headers }: HttpResponse): Pick<GatewayResult, "statusCode" | "headers"> {
  return { statusCode: status > STATUS_MAX ? 500 : status, headers: { ...headers, ...NO_SNIFFING } };
}
