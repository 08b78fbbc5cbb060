/** A long list of rows that all have one height. Only the rows near the view are in the document. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows above and below the view, so that scrolling shows no gaps. */
const OVERSCAN_ROWS = 12;

export interface WindowListProps {
  readonly count: number;
  /** The same for each row. */
  readonly rowHeightPx: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  /** Scrolled into view when it changes. */
  readonly selected?: number | undefined;
  readonly class?: string;
  /** The role of the list; its rows need the fitting role. */
  readonly role?: "list" | "rowgroup";
}

/** Scrolls with the page: the list is as high as all of its rows. */
export function WindowList(props: WindowListProps): JSX.Element {
  const { count, rowHeightPx, row, label, selected, role = "list" } = props;
  const list = useRef<HTMLDivElement>(null);
  const [{ from, to }, setRange] = useState({ from: 0, to: OVERSCAN_ROWS * 3 });
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowHeightPx) - OVERSCAN_ROWS);
      const last = Math.ceil((innerHeight - top) / rowHeightPx) + OVERSCAN_ROWS;
      setRange((now) => (now.from === first && now.to === last ? now : { from: first, to: last }));
    };
    measure();
    addEventListener("scroll", measure, { passive: true, capture: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure, { capture: true });
      removeEventListener("resize", measure);
    };
  }, [rowHeightPx, count]);
  useLayoutEffect(() => {
    if (selected === undefined || list.current === null) return;
    const top = list.current.getBoundingClientRect().top + selected * rowHeightPx;
    const margin = 2 * rowHeightPx;
    if (top < margin) scrollBy(0, top - margin);
    else if (top > innerHeight - margin) scrollBy(0, top - innerHeight + margin);
  }, [selected]);
  const end = Math.min(count, to);
  const begin = Math.min(from, end);
  const rows = Array.from({ length: end - begin }, (_, at) => begin + at);
  return (
    <div
      ref={list}
      role={role}
      aria-label={label}
      class={`window-list ${props.class ?? ""}`}
      style={{ height: `${count * rowHeightPx}px` }}
    >
      <div style={{ transform: `translateY(${begin * rowHeightPx}px)` }}>{rows.map(row)}</div>
    </div>
  );
}
