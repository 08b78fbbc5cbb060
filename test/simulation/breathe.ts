/** Gives the real event loop its time between two moments of virtual time. */
import type { InProcessEndpoints } from "./in-process-endpoints.ts";

/** Lets all promises run that are ready, and waits until no handler runs. */
export async function breathe({ endpoints }: { readonly endpoints: InProcessEndpoints }): Promise<void> {
  do {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await endpoints.streams?.rest();
  } while (endpoints.busy > 0);
}
