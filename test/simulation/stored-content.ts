/** The content of a stored item as text, for judges that compare an item before and after a write. */
import type { Item } from "../../shared/engine/ports/table.ts";

/** @returns the content without the time to live, which may change */
export function contentOf(item: Item): string {
  return JSON.stringify({ ...item, expiresAtS: 0 }, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
  );
}
