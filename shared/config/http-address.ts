/** A setting whose value is the address of an HTTP server. */
import type { Setting } from "./setting-kinds.ts";

const PROTOCOLS = new Set(["http:", "https:"]);

export function optionalHttpAddress(doc: string): Setting<string | undefined> {
  return {
    kind: "text",
    fallbackText: "",
    fallback: undefined,
    doc,
    mayBeSecret: true,
    expected: "an address that begins with http:// or https://",
    read(raw) {
      if (typeof raw !== "string" || !URL.canParse(raw)) return undefined;
      const { protocol, href } = new URL(raw);
      return PROTOCOLS.has(protocol) ? { value: href } : undefined;
    },
  };
}
