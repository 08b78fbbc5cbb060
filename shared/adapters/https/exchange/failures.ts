/** Maps failures of the network to the errors of the endpoints port. */
import { TransportError } from "../../../engine/ports/endpoints.ts";

/** The error for a connection that could not be opened. */
export function unopened(error: Error | undefined, phase: "connect" | "handshake", origin: URL): TransportError {
  if (error instanceof TransportError) return error;
  const cause = error === undefined ? {} : { cause: error };
  if (phase === "handshake") {
    return new TransportError("tls", `The TLS handshake with ${origin.host} failed: ${reasonOf(error)}.`, cause);
  }
  return new TransportError("unreachable", `${origin.host} cannot be reached: ${reasonOf(error)}.`, cause);
}

/** The error for an exchange that broke after its connection was open. */
export function broken(error: unknown, origin: URL): TransportError {
  if (error instanceof TransportError) return error;
  return new TransportError("broken", `The exchange with ${origin.host} broke: ${reasonOf(error)}.`, { cause: error });
}

export function httpOneOnly(origin: URL, options: ErrorOptions = {}): TransportError {
  return new TransportError(
    "http1-only",
    `${origin.host} does not speak HTTP/2; it looks like a server for HTTP/1.1 only.`,
    options,
  );
}

/** True when the handshake failed because the peer refused all offered protocols. */
export function isAlpnRefusal(error: unknown): boolean {
  const cause = error instanceof TransportError ? error.cause : error;
  return codeOf(cause) === "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection was closed";
  // When all addresses of a name fail, Node reports one error with an empty message.
  const message = error.message === "" ? (codeOf(error) ?? error.name) : error.message;
  return message.replace(/\.$/, "");
}
