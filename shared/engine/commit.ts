/** Writing a segment: the one act that makes an attempt count, and the fence between two drivers (I1). */
import type { Segment } from "../core/invocation/segment.ts";
import type { Transition } from "../core/invocation/transition.ts";
import type { Engine } from "./engine.ts";
import { nextLease } from "./grasp.ts";
import type { Held } from "./held.ts";
import { keepUntilS } from "./keep.ts";
import type { Item } from "./ports/table.ts";
import { segmentItem } from "./segment-record.ts";

/** @returns false where another driver was faster: what was decided must be thrown away */
export async function commit(
  engine: Engine,
  held: Held,
  { next, segment }: Transition & { segment: Segment },
): Promise<boolean> {
  if (held.durable !== undefined) {
    await held.durable;
    delete held.durable;
  }
  if (held.lost) return false;
  const { acceptance } = held.invocation;
  const lease = nextLease(engine, held.lease.token);
  const consumedUnits = held.units + 1;
  const expiresAtS = keepUntilS(acceptance, engine.clock.nowMs());
  const item = segmentItem({ pk: held.pk, nonce: acceptance.nonce, lease, consumedUnits, expiresAtS }, segment);
  const put = await engine.table.put(item, { kind: "absent" });
  if (!put.written && !isOurs(put.standing, item)) {
    held.lost = true;
    engine.log.info("another driver wrote the segment first", { invocationId: held.id, segment: segment.index });
    return false;
  }
  held.lease = lease;
  held.units = 0;
  held.invocation = next;
  for (const { key } of segment.taken) {
    held.arrivals.delete(key);
    held.results.delete(key);
  }
  engine.meter.count("segments_total", { after: segment.after.kind });
  return true;
}

/** A put whose answer was lost and that was sent again is refused by itself: the driver's token tells it from any other. */
function isOurs(standing: Item | undefined, item: Item): boolean {
  const [there, ours] = [standing?.["b"], item["b"]];
  if (!(there instanceof Uint8Array) || !(ours instanceof Uint8Array)) return false;
  return there.length === ours.length && there.every((byte, at) => byte === ours[at]);
}
