/** The handle between the names and the bars of a timeline: dragged, or moved by the arrow keys. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

export interface SplitterProps {
  readonly namesPx: number;
  readonly areaPx: number;
  readonly onChange: (namesPx: number) => void;
}

const NAMES_MIN_PX = 240;
const NAMES_MAX_SHARE = 0.6;
const STEP_PX = 24;

export function Splitter({ namesPx, areaPx, onChange }: SplitterProps): JSX.Element {
  const [dragged, setDragged] = useState<{ readonly atPx: number; readonly namesPx: number }>();
  const maxPx = Math.max(NAMES_MIN_PX, Math.round(areaPx * NAMES_MAX_SHARE));
  const set = (px: number): void => onChange(Math.min(maxPx, Math.max(NAMES_MIN_PX, Math.round(px))));
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the names"
      aria-valuenow={Math.round(namesPx)}
      aria-valuemin={Math.min(NAMES_MIN_PX, Math.round(namesPx))}
      aria-valuemax={maxPx}
      style={{ left: `${namesPx}px` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged({ atPx: event.clientX, namesPx });
      }}
      onPointerMove={(event) => dragged !== undefined && set(dragged.namesPx + event.clientX - dragged.atPx)}
      onPointerUp={() => setDragged(undefined)}
      onPointerCancel={() => setDragged(undefined)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        event.preventDefault();
        event.stopPropagation();
        set(namesPx + (event.key === "ArrowLeft" ? -STEP_PX : STEP_PX));
      }}
    />
  );
}
