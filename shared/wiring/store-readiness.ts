/** The readiness of the stores of the local process, and its gauges. A check of a store that is down tries to open it again. */
import type { Store } from "../adapters/embedded/store.ts";
import { roomText } from "../adapters/embedded/store-room.ts";
import type { Meter } from "../engine/ports/log.ts";
import type { ReadinessCheck } from "../engine/ports/readiness.ts";

type Stores = Readonly<Record<"meta" | "journal", Store>>;

export async function storeChecks(stores: Stores): Promise<readonly ReadinessCheck[]> {
  const checks = await Promise.all(Object.entries(stores).map(async ([kind, store]) => await checksOf(kind, store)));
  return checks.flat();
}

export async function showStores(meter: Meter, stores: Stores): Promise<void> {
  for (const [kind, store] of Object.entries(stores)) {
    meter.gauge("store_writable", store.isDown ? 0 : 1, { store: kind });
    const room = await store.room();
    if (room !== undefined) meter.gauge("store_free_bytes", room.freeBytes, { store: kind });
    if (room !== undefined) meter.gauge("store_needed_bytes", room.neededBytes, { store: kind });
  }
}

async function checksOf(kind: string, store: Store): Promise<readonly ReadinessCheck[]> {
  const room = await store.room();
  const isShort = room !== undefined && room.freeBytes < room.neededBytes;
  return [
    await writableCheck(`${kind}-store`, store),
    {
      name: `${kind}-room`,
      isOk: !isShort,
      ...(isShort && { reason: `the disk of the ${kind} store is nearly full: ${roomText(room)}` }),
    },
  ];
}

async function writableCheck(name: string, store: Store): Promise<ReadinessCheck> {
  try {
    await store.whenUsable();
    return { name, isOk: true };
  } catch (error) {
    return { name, isOk: false, reason: (error as Error).message };
  }
}
