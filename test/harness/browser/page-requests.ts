/** The headers with which browsers send the requests of a page of another origin, by what the page does. */

export interface PageRequest {
  readonly what: string;
  /** `method` stands for the method of the request, which is GET by default. */
  readonly headers: Readonly<Record<string, string>>;
}

const CHROME = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36" };
const FROM = { ...CHROME, referer: "https://stranger.example/", "accept-encoding": "gzip, deflate, br, zstd" };
const SITES = ["cross-site", "same-site"] as const;

/** `same-site`: a page of another port of this machine. */
const kinds = (site: (typeof SITES)[number]): readonly (readonly [string, Record<string, string>])[] => {
  const origin = site === "same-site" ? "http://127.0.0.1:3000" : "https://stranger.example";
  const sent = { ...FROM, "sec-fetch-site": site };
  const fetched = { ...sent, "sec-fetch-dest": "empty", origin };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const navigation = { ...sent, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-user": "?1" };
  return [
    ["an image", { ...sent, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
    ["a script", { ...sent, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" }],
    ["a module", { ...sent, "sec-fetch-mode": "cors", "sec-fetch-dest": "script", origin }],
    ["a style sheet", { ...sent, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "style" }],
    ["a fetch without CORS", { ...sent, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" }],
    ["a fetch", { ...fetched, "sec-fetch-mode": "cors" }],
    ["a POST of text", { ...fetched, "sec-fetch-mode": "no-cors", "content-type": "text/plain", method: "POST" }],
    ["a beacon", { ...fetched, "sec-fetch-mode": "no-cors", "content-type": "text/plain", method: "POST" }],
    [
      "a preflight",
      { ...fetched, "sec-fetch-mode": "cors", "access-control-request-method": "PUT", method: "OPTIONS" },
    ],
    ["a link", navigation],
    ["a form by GET", navigation],
    ["a form by POST", { ...navigation, ...form, origin, method: "POST" }],
    ["a form of a sandboxed frame", { ...navigation, ...form, origin: "null", method: "POST" }],
    ["a frame", { ...navigation, "sec-fetch-dest": "iframe" }],
    ["a prefetch", { ...navigation, "sec-purpose": "prefetch" }],
    ["a prerendered page", { ...navigation, "sec-purpose": "prefetch;prerender" }],
    ["an event source", { ...fetched, "sec-fetch-mode": "cors", accept: "text/event-stream" }],
    [
      "a WebSocket",
      {
        ...fetched,
        "sec-fetch-mode": "websocket",
        "sec-fetch-dest": "websocket",
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    ],
  ];
};

export const PAGE_REQUESTS: readonly PageRequest[] = [
  ...SITES.flatMap((site) => kinds(site).map(([what, headers]) => ({ what: `${what}, ${site},`, headers }))),
  // A browser that knows no `sec-fetch-site` sends the origin with what is no GET.
  { what: "an old browser's POST", headers: { ...FROM, origin: "https://stranger.example", method: "POST" } },
  { what: "an old browser's sandboxed POST", headers: { ...FROM, origin: "null", method: "POST" } },
];
