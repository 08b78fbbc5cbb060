/** Invocations that ask for a place, without a driver. */
import type { InvocationId, Nonce } from "../../../shared/core/model/ids.ts";
import type { Asker } from "../../../shared/engine/limits/places.ts";

/** @param name a character, which id and nonce repeat; the order of characters is that of the acceptances */
export function asker(name: string): Asker {
  const life = {
    id: `inv_1${name.repeat(33)}` as InvocationId,
    nonce: name.repeat(11) as Nonce,
    target: { service: "S", handler: "work" },
    createdAtMs: name.charCodeAt(0),
  };
  return { life, isMine: async () => true, isFirst: false, hasWaited: false };
}
