/** A setting whose value is the address of a collector that accepts OTLP over HTTP. */
import type { Setting } from "./setting-kinds.ts";

const PROTOCOLS = new Set(["http:", "https:"]);
/** The reference server also accepts the transport before the address: `otlp+http://host` for `http://host`. */
const TRANSPORT = /^otlp\+(?=https?:)/i;
/** By convention, collectors accept OTLP over gRPC on this port. An address with this port and a path still counts as HTTP. */
const GRPC_PORT = "4317";

export function optionalHttpAddress(doc: string): Setting<string | undefined> {
  return {
    kind: "text",
    fallbackText: "",
    fallback: undefined,
    doc,
    mayBeSecret: true,
    expected:
      "an address that begins with http://, https:// or otlp+http://; Stepwell does not send spans by gRPC (otlp://, grpc://, port 4317), so write the collector's address for OTLP over HTTP, such as http://localhost:4318",
    read(raw) {
      const address = typeof raw === "string" ? raw.replace(TRANSPORT, "") : "";
      if (!URL.canParse(address)) return undefined;
      const { protocol, href, port, pathname } = new URL(address);
      const isGrpc = port === GRPC_PORT && pathname === "/";
      return PROTOCOLS.has(protocol) && !isGrpc ? { value: href } : undefined;
    },
  };
}
