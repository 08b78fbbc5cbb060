/** How a status or an outcome looks: its word, its glyph and its tone. Colour is never the only sign of a status. */
import type { InvocationSummaryBody } from "../../shared/api/contract/invocations.ts";

export type Tone = "succeeded" | "failed" | "running" | "retrying" | "waiting" | "paused" | "ended";

export interface Look {
  readonly word: string;
  readonly glyph: string;
  readonly tone: Tone;
}

const LOOKS: Readonly<Record<InvocationSummaryBody["status"] | NonNullable<InvocationSummaryBody["outcome"]>, Look>> = {
  scheduled: { word: "scheduled", glyph: "○", tone: "waiting" },
  pending: { word: "pending", glyph: "○", tone: "waiting" },
  ready: { word: "ready", glyph: "○", tone: "waiting" },
  running: { word: "running", glyph: "▶", tone: "running" },
  "backing-off": { word: "backing off", glyph: "↻", tone: "retrying" },
  suspended: { word: "suspended", glyph: "○", tone: "waiting" },
  paused: { word: "paused", glyph: "‖", tone: "paused" },
  completed: { word: "completed", glyph: "✓", tone: "succeeded" },
  succeeded: { word: "succeeded", glyph: "✓", tone: "succeeded" },
  failed: { word: "failed", glyph: "✕", tone: "failed" },
  cancelled: { word: "cancelled", glyph: "⊘", tone: "ended" },
  killed: { word: "killed", glyph: "⊘", tone: "ended" },
};

/**
 * @param status a status of the API, or a word of a table that the API does not have
 * @param outcome the outcome of a completed invocation; it says more than the status
 */
export function lookOf(status: string, outcome?: string): Look {
  return (LOOKS as Readonly<Record<string, Look>>)[outcome ?? status] ?? { word: status, glyph: "○", tone: "waiting" };
}
