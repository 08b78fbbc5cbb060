/** Masks confidential values for output. */
import { MASK } from "../../../core/model/deployment.ts";

/** Masks all values and keeps the names. */
export function maskedValues(map: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(map).map((name) => [name, MASK]));
}
