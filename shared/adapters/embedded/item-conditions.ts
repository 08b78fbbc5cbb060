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

function same(stands: Scalar | undefined, wanted: Scalar): boolean {
  if (stands instanceof Uint8Array) return wanted instanceof Uint8Array && Buffer.compare(stands, wanted) === 0;
  return stands === wanted;
}

/** Texts compare by their UTF-8 bytes, as keys do. */
function isLess(stands: Scalar | undefined, than: number | string): boolean {
  if (typeof stands === "number" && typeof than === "number") return stands < than;
  if (typeof stands === "string" && typeof than === "string")
    return Buffer.compare(Buffer.from(stands), Buffer.from(than)) < 0;
  return false;
}
