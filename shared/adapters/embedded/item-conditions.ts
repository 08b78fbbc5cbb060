/** Judges conditions against the existing item. */
import type { Condition, Item, Scalar } from "../../engine/ports/table.ts";

export function holds(condition: Condition, existing: Item | undefined): boolean {
  switch (condition.kind) {
    case "absent":
      return existing === undefined;
    case "present":
      return existing !== undefined;
    case "equal":
      return same(existing?.[condition.attribute], condition.value);
    case "less":
      return isLess(existing?.[condition.attribute], condition.than);
    case "all":
      return condition.of.every((part) => holds(part, existing));
    case "any":
      return condition.of.some((part) => holds(part, existing));
  }
}

function same(found: Scalar | undefined, wanted: Scalar): boolean {
  if (found instanceof Uint8Array) return wanted instanceof Uint8Array && Buffer.compare(found, wanted) === 0;
  return found === wanted;
}

/** Texts compare by their UTF-8 bytes, as keys do. */
function isLess(found: Scalar | undefined, than: number | string): boolean {
  if (typeof found === "number" && typeof than === "number") return found < than;
  if (typeof found === "string" && typeof than === "string")
    return Buffer.compare(Buffer.from(found), Buffer.from(than)) < 0;
  return false;
}
