/** Chooses the crash points of a scenario: the faults that make sense at each of its port calls. */
import { START_MS } from "../virtual-clock.ts";
import {
  DAY_LATE,
  EXPIRIES,
  type Fault,
  FAULTS,
  isConditional,
  isReadOfIndex,
  isWrite,
  LAGS,
  LATE_FAULTS,
  NEVER_FIRES,
  type Point,
  REPEATED,
  SKEWED_FAULTS,
  THROTTLED,
  TIME_IS_UP,
  UNREADABLE,
} from "./point.ts";
import type { Run } from "./run.ts";
import type { Scenario } from "./scenarios.ts";
import { isShared, type Ownership } from "./world.ts";

const DAY_MS = 86_400_000;
/** A read of the listing for a day before the scenario: no scenario has entries of earlier days. */
const OF_A_DAY = /^table\.queryIndex list list#(\d+)#/;

export function pointsOf(
  { calls, expiredAt }: Pick<Run, "calls" | "expiredAt">,
  scenario: Scenario,
  ownership: Ownership,
): readonly Point[] {
  const { at: which, life } = scenario;
  return calls.flatMap((call, at): readonly Point[] => {
    if (which?.test(call) === false) return [];
    const faults = faultsAt(call, scenario, ownership).filter((fault) => life?.faults?.includes(fault) !== false);
    return [...faults.map((fault) => ({ at, fault })), ...expiriesAt(at, expiredAt[at]!, scenario, ownership)];
  });
}

/** A process that owns its store deletes expired items itself, by calls that are struck like all others. */
function expiriesAt(at: number, expired: number, { life }: Scenario, ownership: Ownership): readonly Point[] {
  if (!isShared(ownership)) return [];
  const items = Array.from({ length: expired }, (_, item) => item);
  return EXPIRIES.filter((fault) => life?.faults?.includes(fault) !== false).flatMap((fault) =>
    items.map((item) => ({ at, fault, item })),
  );
}

/**
 * Keyed scenarios leave out reads of indexes, which the scenarios without a key cover, and deaths after a read, which equal
 * deaths before it. Late faults strike raced scenarios, and these only on the shared table, because late calls have the
 * same effects under every ownership, and scenarios without a key that name these faults.
 */
function faultsAt(call: string, { keyed, isFirst, life, comesLate }: Scenario, ownership: Ownership): readonly Fault[] {
  if (isFirst !== true && isOfOldDay(call)) return [];
  const isAsked = (fault: Fault) => comesLate === true || life?.faults?.includes(fault) === true;
  const asked = LATE_FAULTS.filter((fault) => call.startsWith("table.") && isAsked(fault));
  if (keyed === undefined) return [...FAULTS, ...asked, ...specialFaultsAt(call, ownership)];
  if (isReadOfIndex(call)) return [];
  if (call.startsWith("table.query") || call.startsWith("table.get")) return ["before", "after-with-lost-reply"];
  const isLate = keyed === "raced" && ownership === "shared-table" && call.startsWith("table.");
  return [...FAULTS, ...(isLate ? LATE_FAULTS : []), ...specialFaultsAt(call, ownership)];
}

function isOfOldDay(call: string): boolean {
  const [, day] = OF_A_DAY.exec(call) ?? [];
  return Number(day) < Math.floor(START_MS / DAY_MS);
}

/**
 * Faults with a skewed clock strike only on the shared table. A process that owns its store is the only process, so there is no
 * other clock from which its clock could differ. Nor do the indexes of its store lag.
 */
function specialFaultsAt(call: string, ownership: Ownership): readonly Fault[] {
  return [...faultsOfTime(call, ownership), ...faultsOfKind(call, ownership)];
}

function faultsOfKind(call: string, ownership: Ownership): readonly Fault[] {
  if (call.startsWith("queue.send ")) return [DAY_LATE];
  if (call.startsWith("timers.at ")) return [THROTTLED, NEVER_FIRES];
  if (isReadOfIndex(call) && isShared(ownership)) return call.includes(" open ") ? LAGS : ["stale"];
  if (call.startsWith("table.getMany ") && isShared(ownership)) return ["stale"];
  if (!isWrite(call)) return [];
  const skewed = ownership === "shared-table" ? SKEWED_FAULTS : [];
  return [...(isConditional(call) ? ([REPEATED] as const) : []), THROTTLED, ...skewed];
}

/** Only functions have a bounded time. Their reads fail for seconds, too, as those of other processes do in the seeds. */
function faultsOfTime(call: string, ownership: Ownership): readonly Fault[] {
  if (ownership !== "functions") return [];
  return call.startsWith("table.") && !isWrite(call) ? [TIME_IS_UP, UNREADABLE] : [TIME_IS_UP];
}
