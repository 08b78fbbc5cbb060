/** Recognises the writes of a lease record: a park puts the whole item, a claim and a renewal update it. */
import type { Key } from "../../../shared/engine/ports/table.ts";
import type { PortCall } from "./engine-process.ts";

const WRITES: ReadonlySet<string> = new Set(["put", "update"]);

export function writesHold({ port, method, args }: PortCall): boolean {
  return port === "table" && WRITES.has(method) && (args[0] as Key).sk.startsWith("hold#");
}
