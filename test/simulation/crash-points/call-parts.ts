/** Builds parts of the text that names one call of a port. */
import type { ExchangeRequest } from "../../../shared/engine/ports/endpoints.ts";
import type { Condition, Item } from "../../../shared/engine/ports/table.ts";

/** Marks a final segment in the text of a call. */
export function ending(item: Item): string {
  return item["end"] === true ? " with the end" : "";
}

/** Marks a conditional write in the text of a call. */
export function under(condition: Condition | undefined): string {
  return condition === undefined ? "" : ` if ${condition.kind}`;
}

export function aboutRequest({ path, headers }: ExchangeRequest): string {
  return `${path} ${headers["x-restate-invocation-id"] ?? ""}`;
}
