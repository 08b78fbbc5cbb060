/** Telling the writes of a hold apart: a park puts it whole, a claim and a renewal change what stands. */
import type { Key } from "../../../shared/engine/ports/table.ts";
import type { PortCall } from "./engine-process.ts";

const WRITES: ReadonlySet<string> = new Set(["put", "update"]);

export function writesHold({ port, method, args }: PortCall): boolean {
  return port === "table" && WRITES.has(method) && (args[0] as Key).sk.startsWith("hold#");
}
