/** A setting that is a list of names: an array in a file, a text with commas elsewhere. */
import type { Setting } from "./setting-kinds.ts";

/** What a header may be called; a star at the end stands for any ending. */
const HEADER_NAME = /^[!#$%&'+.^_`|~0-9a-z-]+\*?$/;

const NONE = "none";

/** Lower-case names, in the order given. */
export function headerNames(doc: string): Setting<readonly string[]> {
  return {
    kind: "text",
    fallbackText: NONE,
    fallback: [],
    doc,
    expected: "none, or a list of header names such as authorization, x-amz-*",
    read(raw) {
      if (raw === NONE) return { value: [] };
      const given: readonly unknown[] = typeof raw === "string" ? raw.split(",") : Array.isArray(raw) ? raw : [raw];
      if (!given.every((name) => typeof name === "string")) return undefined;
      const names = given.map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
      return names.every((name) => HEADER_NAME.test(name)) ? { value: names } : undefined;
    },
  };
}
