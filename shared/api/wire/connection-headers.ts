/** Headers of a single connection, which are not forwarded (RFC 9110, 7.6.1, and RFC 9112). */
export const CONNECTION_HEADERS: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
