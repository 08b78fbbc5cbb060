/** The present moment by the server's clock, renewed once a second while the page is visible. */
import { signal } from "@preact/signals";
import { clockOffsetMs } from "./api.ts";

const TICK_MS = 1_000;
const browserNowMs = signal(Date.now());

setInterval(() => {
  if (!document.hidden) browserNowMs.value = Date.now();
}, TICK_MS);

/** A component that calls this renders again each second. */
export function nowMs(): number {
  return browserNowMs.value + clockOffsetMs.value;
}

/** The present moment, without a subscription. */
export function peekNowMs(): number {
  return Date.now() + clockOffsetMs.peek();
}
