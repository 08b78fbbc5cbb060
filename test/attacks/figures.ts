/** The figures of one attack, and the limits that every attack must respect. */
import { appendFileSync } from "node:fs";
import { inject } from "vitest";
import { SHUTDOWN_TIMEOUT_MS } from "./server-process.ts";
import type { WaitFigures } from "./waits.ts";

/**
 * The longest wait of a healthy caller on a quiet machine: half of it shows in the figures. A server that starves its neighbour keeps it
 * waiting for a whole strike.
 */
const WAIT_MAX_MS = 2_000;
const RSS_MAX_MB = 1_024;
/** What a stop takes beyond the time that the server gives its open work. */
const STOP_MAX_MS = 5_000;

export interface Figures {
  readonly attack: string;
  readonly direct: WaitFigures;
  readonly queued: WaitFigures;
  readonly health: WaitFigures;
  readonly rssPeakMb: number;
  /** How many times slower than a quiet machine this one was at the slowest moment of the strike. */
  readonly slowness: number;
  /** The server ended by itself. */
  readonly died: boolean;
  /** The time from SIGTERM to the end of the server; null if the server was dead before SIGTERM, or had to be killed. */
  readonly stopMs: number | null;
  /** The accepted sends of the neighbour and the attack. `lost` of them are missing after a restart on the same data. */
  readonly accepted: number;
  readonly lost: number;
  /** Sends of the neighbour that had no effect in time after the restart. */
  readonly undone: number;
  readonly notes: Readonly<Record<string, number | string>>;
}

/** @returns a sentence for each broken limit */
export function complaintsOf(figures: Figures): string[] {
  const { direct, queued, health, rssPeakMb, slowness, died, stopMs, accepted, lost, undone } = figures;
  const waitMaxMs = WAIT_MAX_MS * slowness;
  const complaints: string[] = died ? ["the server ended by itself"] : [];
  for (const [kind, { failed, maxMs }] of Object.entries({ direct, queued })) {
    if (failed > 0) complaints.push(`${failed} ${kind} calls of the neighbour failed`);
    if ((maxMs ?? Infinity) > waitMaxMs)
      complaints.push(`a ${kind} call of the neighbour took ${maxMs} ms, of ${Math.round(waitMaxMs)} ms at most`);
  }
  if (health.failed > 0) complaints.push(`/health failed ${health.failed} times`);
  if ((health.maxMs ?? Infinity) > waitMaxMs)
    complaints.push(`/health was silent for ${health.maxMs} ms, of ${Math.round(waitMaxMs)} ms at most`);
  if (rssPeakMb > RSS_MAX_MB) complaints.push(`the server took ${rssPeakMb} MB`);
  if (!died && (stopMs ?? Infinity) > SHUTDOWN_TIMEOUT_MS + STOP_MAX_MS * slowness)
    complaints.push(`SIGTERM took ${stopMs ?? "too many"} ms`);
  if (lost > 0) complaints.push(`${lost} of ${accepted} accepted invocations are not there after a restart`);
  if (undone > 0) complaints.push(`${undone} sends of the neighbour had no effect after a restart`);
  return complaints;
}

/** Keeps the figures for the table that the global setup prints after all attacks. */
export function keepFigures(figures: Figures, complaints: readonly string[]): void {
  appendFileSync(inject("workshop").rowsPath, `${JSON.stringify({ ...figures, complaints })}\n`);
}
