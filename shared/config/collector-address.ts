/** The setting whose value is the address of a collector of spans, over HTTP or over gRPC. */
import type { Setting } from "./setting-kinds.ts";

/** The schemes of the reference server and `grpcs`, each with the scheme under which the value is kept. */
const SCHEMES: Readonly<Record<string, "http" | "https" | "grpc" | "grpcs">> = {
  "otlp+http": "http",
  "http+otlp": "http",
  "otlp+https": "https",
  "https+otlp": "https",
  grpc: "grpc",
  "otlp+grpc": "grpc",
  "grpc+otlp": "grpc",
  grpcs: "grpcs",
};
const GRPC = { http: "grpc", https: "grpcs" } as const;
const SCHEME = /^([a-z][a-z+]{0,20}):\/\/(?=[^/])/i;
/** Collectors accept OTLP over gRPC on this port by convention, and a gRPC address has no path. */
const GRPC_PORT = "4317";
const TRACES_PATH = "/v1/traces";

/** Reads `http://…`, `https://…`, `grpc://host:port` or `grpcs://host:port`; an address over HTTP always has a path. */
export function optionalCollectorAddress(doc: string): Setting<string | undefined> {
  return {
    kind: "text",
    fallbackText: "",
    fallback: undefined,
    doc,
    mayBeSecret: true,
    expected:
      "an address that begins with http://, https://, otlp+http://, otlp+https://, grpc:// or grpcs://, such as http://localhost:4318 (OTLP over HTTP) or grpc://localhost:4317 (OTLP over gRPC)",
    read(raw) {
      const address = typeof raw === "string" ? canonical(raw) : undefined;
      return address === undefined ? undefined : { value: address };
    },
  };
}

function canonical(raw: string): string | undefined {
  const given = SCHEME.exec(raw)?.[1]?.toLowerCase();
  if (given === undefined) return undefined;
  const isPlain = given === "http" || given === "https";
  const scheme = isPlain ? given : SCHEMES[given];
  const rest = raw.slice(given.length);
  // The parser of URLs knows the ports and paths of http and https alone.
  const text = `${scheme === "http" || scheme === "grpc" ? "http" : "https"}${rest}`;
  if (scheme === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const hasPath = url.pathname !== "/" || url.search !== "";
  if (scheme === "grpc" || scheme === "grpcs") return hasPath ? undefined : `${scheme}://${url.host}`;
  if (isPlain && url.port === GRPC_PORT && !hasPath) return `${GRPC[given]}://${url.host}`;
  if (url.pathname === "/") url.pathname = TRACES_PATH;
  return url.href;
}
