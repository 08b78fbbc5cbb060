/** Converts between API Gateway HTTP API events (payload format 2.0) and the project's requests and responses. */
import { NO_SNIFFING, type HttpRequest, type HttpResponse } from "../../shared/api/http/message.ts";

/** The fields of the event that this module uses. */
export interface GatewayEvent {
  /**
   * Decoded, so the client's escapes are lost: an HTTP API of AWS decodes a path, cuts the decoded path at its first
   * question mark, and decodes the part before it once more. No other part of the event contains the path as sent.
   */
  readonly rawPath: string;
  readonly rawQueryString?: string;
  /** Names in lower case; several values of one name are joined by commas. Cookies are a separate field, which is not used. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestContext: {
    readonly http: { readonly method: string };
    /** The gateway's request id, as in its access log. */
    readonly requestId?: string;
    /** Present if the API requires IAM or a token. */
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

/** The Lambda limit for the whole result as JSON. */
export const RESULT_MAX_BYTES = 6 * 1024 * 1024;
/** Handlers choose the status of their failures; the gateway rejects statuses above this one. */
const STATUS_MAX = 599;

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Encodes the path again, segment by segment, because the routers decode it.
 * @param callerClaim the token claim that names the caller
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

/** An event without a gateway request id comes from a direct call of the function; its sender can claim any identity. */
function whoAsks(event: GatewayEvent, callerClaim: string) {
  const { requestId: gatewayRequestId } = event.requestContext;
  const caller = callerIn(event, callerClaim);
  if (gatewayRequestId !== undefined) return { gatewayRequestId, ...(caller !== undefined && { caller }) };
  return caller === undefined ? {} : { claimedCaller: caller };
}

/**
 * The ARN that IAM authenticated, or `<issuer>#<subject>` of a token. The two forms cannot collide: an issuer is an
 * https address without a fragment (OpenID Connect), and the gateway accepts only the issuer that it is configured with.
 */
function callerIn({ requestContext }: GatewayEvent, callerClaim: string): string | undefined {
  const { iam, jwt } = requestContext.authorizer ?? {};
  if (typeof iam?.userArn === "string") return iam.userArn;
  const { iss: issuer } = jwt?.claims ?? {};
  const subject = jwt?.claims?.[callerClaim];
  return typeof issuer === "string" && typeof subject === "string" ? `${issuer}#${subject}` : undefined;
}

/** @param tooLarge a function that builds the answer in place of a response above the limit */
export function resultOf(response: HttpResponse, tooLarge: (response: HttpResponse) => HttpResponse): GatewayResult {
  const result = readable(response);
  if (fits(result)) return result;
  // JSON escapes a quote to two bytes and a NUL to six, so base64 may be shorter than the text.
  const packed = inBase64(response);
  return fits(packed) ? packed : readable(tooLarge(response));
}

function fits(result: GatewayResult): boolean {
  return Buffer.byteLength(JSON.stringify(result)) <= RESULT_MAX_BYTES;
}

/** UTF-8 text is sent as it is, other bytes as base64. */
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
