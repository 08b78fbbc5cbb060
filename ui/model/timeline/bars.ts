/** The bar of one row: pieces side by side, made of attempts, back-offs, waits and the time until the result. */
import type { FailedTry, Operation } from "./operation.ts";
import { isPoint, isWait } from "./operation.ts";
import type { TimeScale } from "./scale.ts";
import { toPx } from "./scale.ts";

export type PieceShape =
  /** The code of the operation ran. */
  | "solid"
  /** An attempt that failed. */
  | "failed"
  /** The time between a failed attempt and the next one. */
  | "back-off"
  /** The invocation waits: for a timer, an outside event, a promise. */
  | "wait"
  /** Another invocation works for this one. */
  | "call"
  /** The operation takes no time: a state change, a send, the input. */
  | "diamond";

export interface Piece {
  readonly shape: PieceShape;
  readonly fromPx: number;
  readonly widthPx: number;
  /** The failed attempt that the piece stands for; the tooltip of the piece shows its error. */
  readonly failed?: FailedTry;
  /** The piece goes on at the right. */
  readonly isOpen?: true;
}

export const PIECE_MIN_PX = 2;
/** A row shows at most this many of its last failures; earlier ones would overlap anyway. */
const TRIES_SHOWN = 30;

interface Part {
  readonly shape: PieceShape;
  readonly startMs: number;
  readonly endMs: number;
  readonly failed?: FailedTry;
  readonly isOpen?: true;
}

/** @returns pieces in order that do not overlap, each at least two pixels wide; none for an operation out of sight */
export function piecesOf(operation: Operation, scale: TimeScale, nowMs: number): readonly Piece[] {
  const { startMs, endMs = Math.max(nowMs, operation.startMs) } = operation;
  const isRetried = failsAfterEnd(operation);
  if (startMs > scale.toMs || (isRetried ? nowMs : endMs) < scale.fromMs) return [];
  if (isPoint(operation) && !isRetried)
    return [{ shape: "diamond", fromPx: toPx(scale, startMs), widthPx: PIECE_MIN_PX }];
  const pieces: Piece[] = [];
  let atPx = 0;
  for (const part of isRetried ? retriedParts(operation, endMs, nowMs) : partsOf(operation, endMs)) {
    if (part.endMs < scale.fromMs || part.startMs > scale.toMs) continue;
    const fromPx = Math.max(atPx, toPx(scale, part.startMs));
    const widthPx = Math.max(PIECE_MIN_PX, toPx(scale, part.endMs) - fromPx);
    const { shape, failed, isOpen } = part;
    pieces.push({ shape, fromPx, widthPx, ...(failed && { failed }), ...(isOpen && { isOpen }) });
    atPx = fromPx + widthPx;
  }
  return pieces;
}

function partsOf(operation: Operation, endMs: number): readonly Part[] {
  const { startMs, tries } = operation;
  const isOpen = operation.endMs === undefined;
  const open = isOpen ? ({ isOpen: true } as const) : {};
  const shape = shapeOf(operation);
  if (tries.length === 0) return [{ shape, startMs, endMs, ...open }];
  const parts: Part[] = [];
  let atMs = startMs;
  for (const failed of tries.slice(-TRIES_SHOWN)) {
    if (failed.startMs > atMs)
      parts.push({ shape: parts.length === 0 ? "solid" : "back-off", startMs: atMs, endMs: failed.startMs });
    parts.push({ shape: "failed", startMs: failed.startMs, endMs: failed.endMs, failed });
    atMs = failed.endMs;
  }
  if (operation.outcome === "retrying") parts.push({ shape: "back-off", startMs: atMs, endMs, ...open });
  else if (operation.outcome !== "failed" && endMs > atMs) parts.push(...untilResult(operation, atMs, endMs, open));
  return parts;
}

function untilResult(
  { outcome, resultFromMs }: Operation,
  atMs: number,
  endMs: number,
  open: { readonly isOpen?: true },
): readonly Part[] {
  if (outcome === "running") return [{ shape: "solid", startMs: atMs, endMs, ...open }];
  const fromMs = Math.max(atMs, resultFromMs ?? endMs);
  return [
    { shape: "back-off", startMs: atMs, endMs: fromMs },
    { shape: "solid", startMs: fromMs, endMs, ...open },
  ];
}

function shapeOf({ kind }: Operation): PieceShape {
  return kind === "call" ? "call" : isWait(kind) || kind === "other" ? "wait" : "solid";
}

/** True if the code fails at an operation that an earlier attempt has completed. */
function failsAfterEnd({ endMs, tries }: Operation): boolean {
  return endMs !== undefined && tries.length > 0 && tries.at(-1)!.endMs > endMs;
}

function retriedParts(operation: Operation, endMs: number, nowMs: number): readonly Part[] {
  const { startMs, tries, outcome } = operation;
  const parts: Part[] = [{ shape: shapeOf(operation), startMs, endMs }];
  let atMs = Infinity;
  for (const failed of tries.slice(-TRIES_SHOWN)) {
    if (failed.startMs > atMs) parts.push({ shape: "back-off", startMs: atMs, endMs: failed.startMs });
    parts.push({ shape: "failed", startMs: failed.startMs, endMs: failed.endMs, failed });
    atMs = failed.endMs;
  }
  if (outcome === "retrying") parts.push({ shape: "back-off", startMs: atMs, endMs: nowMs, isOpen: true });
  return parts;
}
