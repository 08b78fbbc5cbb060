/** Bounds the garbage that a large heap of the local process keeps between two collections. */
import { getHeapStatistics, setFlagsFromString } from "node:v8";

/** A smaller heap grows as V8 decides, because frequent collections would slow down calls. */
const BOUNDED_FROM_BYTES = 128 * 1024 * 1024;
/**
 * By default V8 lets the heap grow to four times its live objects before it collects the old generation. With many parked
 * invocations, the garbage then takes hundreds of megabytes. A growth of 100 percent allows twice the live objects, as V8
 * itself does on machines with little memory.
 */
const BOUNDED_GROWTH_PERCENT = 100;
const DEFAULT_GROWTH_PERCENT = 0;
const LOOK_EVERY_MS = 1_000;

/** Looks at the heap from now on, without keeping the process alive. V8 reads the flag at each collection. */
export function boundHeapGrowth(): void {
  let isBounded = false;
  const look = (): void => {
    const isLarge = getHeapStatistics().total_heap_size > BOUNDED_FROM_BYTES;
    if (isLarge === isBounded) return;
    isBounded = isLarge;
    setFlagsFromString(`--heap-growing-percent=${isLarge ? BOUNDED_GROWTH_PERCENT : DEFAULT_GROWTH_PERCENT}`);
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}
