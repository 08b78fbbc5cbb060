/**
 * Finds the open invocations that need an operator most urgently: at most twelve, each with its reason, and the counts behind
 * them.
 */
import {
  ATTENTION_KINDS,
  type AttentionKind,
  SILENT_AFTER_MS,
  WAITING_AFTER_MS,
  worstFirst,
} from "../../core/query/attention.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { presentedStatus } from "../operate/inspect.ts";
import type { PauseView, WaitView } from "../ports/submission.ts";
import type { Loaded } from "../store/load.ts";
import type { CauseGroup } from "./failing-targets.ts";
import { loadListed } from "./waits-for.ts";
import { type OpenCensus, type Suspect, takeCensus } from "./open-census.ts";
import { summaryOfLoaded } from "./open-listing.ts";
import { pauseView, ownWaits } from "./wait-view.ts";
import { type DetailedRow, RowReader } from "./row-details.ts";

export interface AttentionRow {
  readonly kind: AttentionKind;
  readonly row: DetailedRow;
  /** Since when the word in `kind` is true of the invocation. */
  readonly sinceMs: number;
  readonly waitsFor: readonly WaitView[];
  readonly pause?: PauseView;
}

export interface Attention {
  readonly census: OpenCensus;
  readonly rows: readonly AttentionRow[];
  readonly causes: readonly CauseGroup[];
}

const ROWS_MAX = 12;
const EACH_MIN = 3;
const LOADS_AT_ONCE = 8;
/** Only a load of an invocation shows whether one of these kinds is true of it, so the loads come before the choice of rows. */
const UNPROVEN: ReadonlySet<AttentionKind> = new Set(["silent", "waiting"]);

/** Costs a walk over the open index, a load of at most 44 invocations, and a read of at most 240 lease records. */
export async function attention(engine: Engine): Promise<Attention> {
  // This read refreshes the registry in memory, which shows the open circuits that invocations wait for.
  await engine.registry.deployments();
  const census = await takeCensus(engine);
  const proven = new Map<AttentionKind, readonly AttentionRow[]>();
  for (const kind of UNPROVEN) proven.set(kind, await rowsOf(engine, kind, census.suspects.get(kind) ?? []));
  const found = new Map<AttentionKind, readonly (Suspect | AttentionRow)[]>(
    ATTENTION_KINDS.map((kind) => [kind, proven.get(kind) ?? census.suspects.get(kind) ?? []]),
  );
  const rows: AttentionRow[] = [];
  for (const [kind, chosen] of worstFirst(found, ROWS_MAX, EACH_MIN)) {
    const suspects = chosen.filter((one): one is Suspect => !("row" in one));
    rows.push(...chosen.filter((one) => "row" in one), ...(await rowsOf(engine, kind, suspects)));
  }
  return { census, rows, causes: await census.failing.groups() };
}

async function rowsOf(
  engine: Engine,
  kind: AttentionKind,
  suspects: readonly Suspect[],
): Promise<readonly AttentionRow[]> {
  const rows = await atMost(LOADS_AT_ONCE, suspects, (suspect) => rowOf(engine, kind, suspect));
  return rows.filter((row) => row !== undefined);
}

/** @returns undefined if `kind` is no longer true of the invocation, or if the invocation cannot be read */
async function rowOf(engine: Engine, kind: AttentionKind, suspect: Suspect): Promise<AttentionRow | undefined> {
  const loaded = await loadListed(engine, suspect.id);
  if (loaded === undefined) return undefined;
  const waitsFor = await ownWaits(engine, loaded);
  const pause = pauseView(engine, loaded);
  const sinceMs = sinceOf(engine, kind, suspect, { loaded, waitsFor, pause });
  if (sinceMs === undefined) return undefined;
  const [row] = await new RowReader(engine).details([summaryOfLoaded(engine, loaded)]);
  return { kind, row: row!, sinceMs, waitsFor, ...(pause !== undefined && { pause }) };
}

interface Seen {
  readonly loaded: Loaded;
  readonly waitsFor: readonly WaitView[];
  readonly pause: PauseView | undefined;
}

/** @returns undefined if `kind` is not true of the invocation */
function sinceOf(
  engine: Engine,
  kind: AttentionKind,
  { lookAtMs, createdAtMs }: Suspect,
  { loaded, waitsFor, pause }: Seen,
): number | undefined {
  const nowMs = engine.clock.nowMs();
  const status = presentedStatus(engine, loaded);
  const circuit = waitsFor.find((wait) => wait.kind === "circuit");
  switch (kind) {
    case "paused":
      return pause?.atMs;
    case "failing":
      if (status === "ready" && circuit === undefined) return undefined;
      return status === "backing-off" || status === "ready" ? (waitsFor[0]?.sinceMs ?? createdAtMs) : undefined;
    case "overdue":
      if (circuit !== undefined) return undefined;
      if (status === "completed" || status === "running" || status === "paused") return undefined;
      return status === "ready" ? createdAtMs : lookAtMs;
    case "silent": {
      const silentSinceMs = waitsFor.find((wait) => wait.silentSinceMs !== undefined)?.silentSinceMs;
      return silentSinceMs !== undefined && silentSinceMs < nowMs - SILENT_AFTER_MS ? silentSinceMs : undefined;
    }
    case "waiting": {
      const isOpen = status === "pending" || status === "suspended";
      // A wait that ends by itself at a known moment, such as a sleep, needs no operator, however long it is.
      const ends = waitsFor.some(({ untilMs }) => untilMs !== undefined);
      const sinceMs = Math.min(...waitsFor.map((wait) => wait.sinceMs));
      return isOpen && !ends && sinceMs < nowMs - WAITING_AFTER_MS ? sinceMs : undefined;
    }
  }
}
