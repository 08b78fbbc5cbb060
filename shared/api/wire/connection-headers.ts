/** Headers that belong to one connection and go no further (RFC 9110, 7.6.1, and RFC 9112). */
export const CONNECTION_HEADERS: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
