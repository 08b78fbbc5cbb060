/**
 * What the reader leaves behind on a page and finds again on the way back: its scroll place, and values that were expensive to
 * load. Each entry of the browser's history has a number, by which its values are kept.
 */
import { useMemo } from "preact/hooks";

interface Place {
  readonly kept: Map<string, unknown>;
  scrollPx: number;
}

/** Values of earlier entries are dropped: a long list needs memory. */
const PLACES_MAX = 8;
/** A page that is loaded anew becomes long enough only after its answers. */
const RESTORED_WITHIN_MS = 5_000;
const LEAVING = ["wheel", "keydown", "pointerdown", "touchstart"] as const;

const places = new Map<number, Place>();
let here = numberOf(history.state) ?? stamped();
let restoring: { readonly stop: () => void } | undefined;

// The browser would scroll before the page has its rows.
history.scrollRestoration = "manual";
addEventListener("scroll", () => (placeOf(here).scrollPx = scrollY), { passive: true });

/** Called when the address changes. @param isOtherPage whether another page, or another subject of the page, is shown */
export function arrive(isOtherPage: boolean): void {
  const known = numberOf(history.state);
  here = known ?? stamped();
  restoring?.stop();
  restoring = undefined;
  const px = known === undefined ? undefined : places.get(known)?.scrollPx;
  if (px !== undefined) restore(px);
  else if (isOtherPage) scrollTo(0, 0);
}

/** A value that the entry of the history keeps: going back to it brings the same value. */
export function useKept<Value>(name: string, make: () => Value): Value {
  const entry = useMemo(() => here, [name]);
  const { kept } = placeOf(entry);
  if (!kept.has(name)) {
    // The page of an entry shows one list at a time; the list of a former filter is of no use.
    kept.clear();
    kept.set(name, make());
  }
  return kept.get(name) as Value;
}

function placeOf(entry: number): Place {
  const place = places.get(entry) ?? { kept: new Map(), scrollPx: 0 };
  // The place that was used last is the last to be dropped.
  places.delete(entry);
  places.set(entry, place);
  const [oldest] = places.keys();
  if (places.size > PLACES_MAX) places.delete(oldest!);
  return place;
}

/** Scrolls as soon as the page is long enough, unless the reader acts before. */
function restore(px: number): void {
  const endMs = performance.now() + RESTORED_WITHIN_MS;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    for (const event of LEAVING) removeEventListener(event, stop, { capture: true });
  };
  for (const event of LEAVING) addEventListener(event, stop, { capture: true, passive: true });
  const step = (): void => {
    if (isOver) return;
    const canScroll = document.documentElement.scrollHeight - innerHeight >= px;
    if (canScroll) scrollTo(0, px);
    if (canScroll || performance.now() > endMs) stop();
    else requestAnimationFrame(step);
  };
  restoring = { stop };
  requestAnimationFrame(step);
}

function stamped(): number {
  const number = Date.now() * 1_000 + Math.floor(Math.random() * 1_000);
  history.replaceState({ place: number }, "");
  return number;
}

function numberOf(state: unknown): number | undefined {
  const number = (state as { readonly place?: unknown } | null)?.place;
  return typeof number === "number" ? number : undefined;
}
