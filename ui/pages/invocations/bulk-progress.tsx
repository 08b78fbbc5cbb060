/** How far a change of many invocations has come, a button that stops it, and the refusals. */
import type { JSX } from "preact";
import { type BulkChange, type BulkProgress, progressText } from "../../model/bulk-changes.ts";
import { countText } from "../../model/size-text.ts";
import { shortened } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import type { BulkStage } from "./bulk-run.ts";

export interface BulkProgressProps {
  readonly change: BulkChange;
  readonly stage: Extract<BulkStage, { readonly progress: BulkProgress }>;
  readonly onStop: () => void;
}

const REFUSALS_MAX = 20;
const ID_CHARS = 17;

export function BulkProgressView({ change, stage, onStop }: BulkProgressProps): JSX.Element {
  const { kind, progress, matching } = stage;
  const { total, left, refused } = progress;
  const isRunning = kind !== "ended";
  return (
    <>
      <progress aria-label="Progress" max={total} value={total - left.length} />
      <p role="status">{progressText(change, progress)}</p>
      {!isRunning && left.length > 0 && (
        <p>The {countText(left.length)} that are left stay selected if they are loaded.</p>
      )}
      {!isRunning && matching.mayHaveMore && <p>More match: run the change again for the rest.</p>}
      {refused.length > 0 && (
        <>
          <p>Refused, and still selected:</p>
          <ul class="refusals">
            {refused.slice(0, REFUSALS_MAX).map(({ id, message }) => (
              <li key={id}>
                <span class="mono" title={id}>
                  {shortened(id, ID_CHARS)}
                </span>{" "}
                <ForeignText text={message ?? "the server did not answer for it"} maxChars={300} />
              </li>
            ))}
            {refused.length > REFUSALS_MAX && <li class="dim">and {countText(refused.length - REFUSALS_MAX)} more</li>}
          </ul>
        </>
      )}
      {isRunning && (
        <div class="buttons">
          <button type="button" disabled={kind === "stopping"} onClick={onStop}>
            {kind === "stopping" ? "Stopping after this batch …" : "Stop"}
          </button>
        </div>
      )}
    </>
  );
}
