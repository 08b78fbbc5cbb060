/** The target of an invocation as attributes of its items, from which lists and the sweeper read it without the record. */
import type { Target } from "../../core/model/target.ts";
import type { Item, ItemValue } from "../ports/table.ts";
import { scopedService, serviceAndScope } from "./object-keys.ts";

/** The scope is part of the attribute `service`: the projections of the indexes name their attributes once and for all. */
export function targetAttributes(target: Target): Readonly<Record<string, ItemValue>> {
  const { handler, key } = target;
  return { service: scopedService(target), handler, ...(key !== undefined && { objectKey: key }) };
}

/** The target in an item of an index, or in the item of an acceptance or a lease record. */
export function targetIn(item: Item): Target {
  const { service, handler, objectKey } = item as Record<string, unknown>;
  return {
    ...serviceAndScope(String(service)),
    handler: String(handler),
    ...(typeof objectKey === "string" && { key: objectKey }),
  };
}
