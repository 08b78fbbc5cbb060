/** The bar of one row: pieces side by side, made of attempts, back-offs, waits and the time until the result. */
import { isPoint, isWait, type FailedTry, type Operation } from "./operation.ts";
import { toPx, type TimeScale } from "./scale.ts";

export type PieceShape =
  /** The code of the operation ran. */
  | "solid"
  /** The code ran within this time; when, and for how long, is unknown. */
  | "bound"
  /** The code ran in an attempt whose end is not stored, or waited for the next one; or two clocks differ. */
  | "unknown"
  /** An attempt that failed. */
  | "failed"
  /** Further attempts that failed in the same way, between the first and the last one. */
  | "repeated"
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
  if (isPoint(operation) && !isRetried && operation.clocksDiffer !== true)
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
  const { startMs, tries, resultFromMs } = operation;
  const isOpen = operation.endMs === undefined;
  const open = isOpen ? ({ isOpen: true } as const) : {};
  const shape = shapeOf(operation);
  if (tries.length === 0 && resultFromMs === undefined) return [{ shape, startMs, endMs, ...open }];
  const { parts, atMs } = failedParts(tries, startMs, "solid");
  if (operation.outcome === "retrying") parts.push({ shape: "back-off", startMs: atMs, endMs, ...open });
  else if (operation.outcome !== "failed" && endMs > atMs) parts.push(...untilResult(operation, atMs, endMs, open));
  return parts;
}

function untilResult(
  { outcome, resultFromMs, tries }: Operation,
  atMs: number,
  endMs: number,
  open: { readonly isOpen?: true },
): readonly Part[] {
  if (outcome === "running") return [{ shape: "solid", startMs: atMs, endMs, ...open }];
  const fromMs = Math.max(atMs, resultFromMs ?? endMs);
  return [
    // Without a stored failure, the first attempt was lost, and nothing says until when it ran.
    { shape: tries.length === 0 ? "unknown" : "back-off", startMs: atMs, endMs: fromMs },
    // The attempt that brought the result replayed the steps before it first.
    { shape: "bound", startMs: fromMs, endMs, ...open },
  ];
}

function failedParts(tries: readonly FailedTry[], fromMs: number, before: PieceShape): { parts: Part[]; atMs: number } {
  const parts: Part[] = [];
  let atMs = fromMs;
  for (const failed of tries.slice(-TRIES_SHOWN)) {
    const { startMs, endMs, last, times } = failed;
    if (startMs > atMs) parts.push({ shape: parts.length === 0 ? before : "back-off", startMs: atMs, endMs: startMs });
    parts.push({ shape: "failed", startMs, endMs, failed });
    atMs = endMs;
    if (last === undefined) continue;
    parts.push({
      shape: times > 2 ? "repeated" : "back-off",
      startMs: endMs,
      endMs: last.startMs,
      ...(times > 2 && { failed }),
    });
    parts.push({ shape: "failed", startMs: last.startMs, endMs: last.endMs, failed });
    atMs = last.endMs;
  }
  return { parts, atMs };
}

function shapeOf({ kind, within, clocksDiffer }: Operation): PieceShape {
  if (clocksDiffer === true) return "unknown";
  if (within !== undefined) return "bound";
  return kind === "call" ? "call" : isWait(kind) || kind === "other" ? "wait" : "solid";
}

/** True if the code fails at an operation that an earlier attempt has completed. */
function failsAfterEnd({ endMs, tries }: Operation): boolean {
  const last = tries.at(-1);
  return endMs !== undefined && last !== undefined && (last.last?.endMs ?? last.endMs) > endMs;
}

function retriedParts(operation: Operation, endMs: number, nowMs: number): readonly Part[] {
  const { startMs, tries, outcome } = operation;
  const { parts: failed, atMs } = failedParts(tries, Infinity, "back-off");
  const parts: Part[] = [{ shape: shapeOf(operation), startMs, endMs }, ...failed];
  if (outcome === "retrying") parts.push({ shape: "back-off", startMs: atMs, endMs: nowMs, isOpen: true });
  return parts;
}
