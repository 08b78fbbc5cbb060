/** Every crash point of a scenario: recorded once without a fault, then struck one by one, each time to the end. */
import { FAULTS, type Fault, LATE_FAULTS, type Point } from "./point.ts";
import { run } from "./run.ts";
import type { Scenario } from "./scenarios.ts";
import type { Ownership, Sabotage } from "./world.ts";

export interface Coverage {
  readonly possible: number;
  /** Points at which the fault struck and after which everything came out right. */
  readonly covered: number;
  /** What went wrong, each with the line that runs this point again. */
  readonly failures: readonly string[];
  /** The longest virtual time until all was quiet, and where. */
  readonly slowest: { readonly tookMs: number; readonly where: string };
}

/** `<ownership>/<scenario>/<call>/<fault>`: runs this point and no other. */
const ONLY = process.env["CRASH_POINT"];
/**
 * How much later than without a fault all is quiet: the sweeper looks at an acceptance whose message was lost after
 * five minutes. Nothing waits for the ten minutes after which it looks at everything that is parked.
 */
const DELAY_MAX_MS = 400_000;
const COMMAND = "npm run test:crash-points";

export interface Hunt {
  readonly sabotage?: Sabotage;
  /** Stops after so many: who only wants to know whether there is one asks for one. */
  readonly failuresMax?: number;
  /** Calls that are struck; all unless told. */
  readonly at?: RegExp;
}

export async function crashPoints(
  ownership: Ownership,
  scenario: Scenario,
  { sabotage, failuresMax = Infinity, at }: Hunt = {},
): Promise<Coverage> {
  const given = { scenario, ownership, ...(sabotage && { sabotage }) };
  const recorded = await run(given);
  let slowest = { tookMs: recorded.tookMs, where: "no fault" };
  if (recorded.complaints.length > 0) {
    const failure = `${scenario.name}, ${ownership}, no fault: ${recorded.complaints.join("; ")}`;
    return { possible: 1, covered: 0, failures: [failure], slowest };
  }
  const points = recorded.calls.flatMap((call, number) => {
    const faults = at?.test(call) === false ? [] : faultsAt(call, scenario, ownership);
    return faults.map((fault): Point => ({ at: number, fault }));
  });
  const only = sabotage === undefined ? ONLY : undefined;
  const chosen = points.filter((point) => only === undefined || only === pathOf(ownership, scenario, point));
  const failures: string[] = [];
  let tried = 0;
  for (const point of chosen) {
    const { struck, complaints, tookMs } = await run({ ...given, point });
    tried++;
    const expected = recorded.calls[point.at];
    if (tookMs > slowest.tookMs) slowest = { tookMs, where: `call ${point.at} (${expected}), ${point.fault}` };
    const wrong = [...complaints];
    if (struck !== expected) wrong.push(`the fault struck ${struck ?? "nothing"}`);
    if (tookMs > recorded.tookMs + DELAY_MAX_MS)
      wrong.push(`it took ${Math.round(tookMs / 1000)} s until all was quiet`);
    if (wrong.length === 0) continue;
    failures.push(
      `${scenario.name}, ${ownership}, call ${point.at} (${expected}), ${point.fault}: ${wrong.join("; ")}\n` +
        `  again: CRASH_POINT='${pathOf(ownership, scenario, point)}' ${COMMAND}`,
    );
    if (failures.length >= failuresMax) break;
  }
  return { possible: chosen.length, covered: tried - failures.length, failures, slowest };
}

/**
 * What is looked up in an index at the start and by the sweeper is broken in the scenarios without a key, and a death
 * behind a read is one ahead of it. Calls that come late tell the same of either ownership.
 */
function faultsAt(call: string, { keyed }: Scenario, ownership: Ownership): readonly Fault[] {
  if (keyed === undefined) return FAULTS;
  if (call.startsWith("table.queryIndex")) return [];
  if (call.startsWith("table.query") || call.startsWith("table.get")) return ["before", "after-with-lost-reply"];
  const isLate = keyed === "raced" && ownership === "shared-table" && call.startsWith("table.");
  return isLate ? [...FAULTS, ...LATE_FAULTS] : FAULTS;
}

function pathOf(ownership: Ownership, { name }: Scenario, { at, fault }: { at: number; fault: Fault }): string {
  return `${ownership}/${name}/${at}/${fault}`;
}
