/** The static table of HPACK (RFC 7541, appendix A). */

/** The first element is entry 1. */
export const STATIC_FIELDS: readonly (readonly [name: string, value: string])[] = [
  [":authority", ""],
  [":method", "GET"],
  [":method", "POST"],
  [":path", "/"],
  [":path", "/index.html"],
  [":scheme", "http"],
  [":scheme", "https"],
  ...["200", "204", "206", "304", "400", "404", "500"].map((status) => [":status", status] as const),
  ["accept-charset", ""],
  ["accept-encoding", "gzip, deflate"],
  ...`accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control
  content-disposition content-encoding content-language content-length content-location content-range content-type
  cookie date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since
  last-modified link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after
  server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate`
    .split(/\s+/)
    .map((name) => [name, ""] as const),
];

/** Maps each name to the number of the first entry with that name. */
export const STATIC_INDEX: ReadonlyMap<string, number> = new Map(
  STATIC_FIELDS.map(([name], at) => [name, at + 1] as const).toReversed(),
);
