/** What happens in a seed: what producers, operators and other members of the group do, and when. */
import type { ResetTarget } from "../../../shared/core/topics/position.ts";
import type { Random } from "../random.ts";
import { START_MS } from "../virtual-clock.ts";
import type { Made } from "./broker.ts";

export type Act = { readonly atMs: number } & (
  | { readonly do: "produce"; readonly partition: number; readonly made: readonly Made[]; readonly producerId?: number }
  | {
      readonly do: "mark";
      readonly partition: number;
      readonly producerId: number;
      readonly marker: "abort" | "commit";
    }
  | { readonly do: "compact"; readonly partition: number }
  | { readonly do: "recreate" }
  | { readonly do: "stranger"; readonly forMs: number }
  | { readonly do: "subscribe" }
  | { readonly do: "remove" }
  | { readonly do: "pause" }
  | { readonly do: "resume" }
  | { readonly do: "options" }
  | { readonly do: "reset"; readonly to: ResetTarget }
);

export interface Plan {
  /** `local`: one process owns its store and reads by itself. `aws`: event source mappings deliver to processes that share a table. */
  readonly kind: "local" | "aws";
  readonly partitions: number;
  readonly sink: "S/take" | "O/take";
  readonly begins: "earliest" | "latest";
  readonly readsUncommitted: boolean;
  readonly batchesMax: number;
  readonly acts: readonly Act[];
}

export const LARGE_BYTES = 300;
export const PLAN_MS = 60_000;
const MADE_MAX = 4;
const KEYS = ["a", "b", "c"];
const HOUR_MS = 3_600_000;
const WEIGHTS = { earliest: 3, latest: 1, offsets: 3 } as const;
const TARGETS = ["earliest", "latest", "offsets"] as const;

export function drawPlan(random: Random): Plan {
  const kind = random.chance(0.6) ? "local" : "aws";
  const partitions = random.between(1, 3);
  const changed = changes(random, partitions, kind);
  // An event on AWS does not name its topic. So a topic that was created again is recognised there by a record at the offset of a
  // landmark, and the subscription must have accepted the first records of the old topic.
  const isPlain = kind === "aws" && changed.some((act) => act.do === "recreate");
  const acts = [
    ...changed.filter((act) => !isPlain || act.do !== "compact"),
    ...produced(random, partitions),
    ...(random.chance(isPlain ? 0 : 0.5) ? transacted(random, partitions) : []),
    ...operated(random, partitions, isPlain ? ["earliest"] : kind === "aws" ? ["earliest", "latest"] : TARGETS),
  ];
  return {
    kind,
    partitions,
    sink: random.chance(0.5) ? "S/take" : "O/take",
    begins: isPlain || random.chance(0.7) ? "earliest" : "latest",
    readsUncommitted: kind === "local" && random.chance(0.1),
    batchesMax: random.between(1, 5),
    acts: acts.toSorted((a, b) => a.atMs - b.atMs),
  };
}

/** @param behindMs how far the timestamps of the producer are behind the time of the broker; negative if they are ahead */
function madeBy(random: Random, atMs: number, behindMs: number): Made[] {
  return Array.from({ length: random.between(1, MADE_MAX) }, () => ({
    name: `r${random.between(0, 2 ** 40)}`,
    key: random.pick(KEYS),
    timestampMs: START_MS + atMs - behindMs,
    sizeBytes: random.between(20, 200),
  }));
}

function behindOf(random: Random): number {
  const how = random.weighted({ right: 6, past: 2, future: 1 });
  return how === "right" ? 0 : how === "past" ? random.between(1, HOUR_MS) : -random.between(1, 10_000);
}

function produced(random: Random, partitions: number): Act[] {
  return Array.from({ length: random.between(2, 12) }, () => {
    const atMs = random.between(0, PLAN_MS);
    const partition = random.between(0, partitions - 1);
    return { do: "produce", atMs, partition, made: madeBy(random, atMs, behindOf(random)) };
  });
}

/** A producer writes one transaction after the other; a transaction may have partitions in which it writes no record. */
function transacted(random: Random, partitions: number): Act[] {
  const acts: Act[] = [];
  for (let producerId = 1; producerId <= random.between(1, 3); producerId++) {
    const behindMs = behindOf(random);
    let atMs = random.between(0, PLAN_MS / 2);
    for (let left = random.between(1, 4); left > 0; left--) {
      const touched = Array.from({ length: partitions }, (_, at) => at).filter(() => random.chance(0.7));
      for (const partition of touched) {
        for (let writes = random.between(0, 3); writes > 0; writes--) {
          atMs += random.between(1, 2_000);
          acts.push({ do: "produce", atMs, partition, made: madeBy(random, atMs, behindMs), producerId });
        }
      }
      atMs += random.between(1, 4_000);
      const marker = random.chance(0.5) ? "abort" : "commit";
      for (const partition of touched) acts.push({ do: "mark", atMs, partition, producerId, marker });
    }
  }
  return acts;
}

function changes(random: Random, partitions: number, kind: Plan["kind"]): Act[] {
  const acts: Act[] = [];
  const atMs = (): number => random.between(0, PLAN_MS);
  if (random.chance(0.3)) acts.push({ do: "compact", atMs: atMs(), partition: random.between(0, partitions - 1) });
  if (random.chance(0.2)) acts.push({ do: "recreate", atMs: atMs() });
  if (kind === "local" && random.chance(0.4))
    acts.push({ do: "stranger", atMs: atMs(), forMs: random.between(1_000, 15_000) });
  return acts;
}

function operated(random: Random, partitions: number, targets: readonly (keyof typeof WEIGHTS)[]): Act[] {
  const acts: Act[] = [{ do: "subscribe", atMs: 0 }];
  if (random.chance(0.2)) acts.push({ do: "subscribe", atMs: random.between(0, PLAN_MS) });
  for (let left = random.between(0, 5); left > 0; left--) {
    const atMs = random.between(1, PLAN_MS);
    const what = random.weighted({ reset: 5, pause: 2, options: 1, remove: 1 });
    if (what === "reset") acts.push({ do: "reset", atMs, to: targetOf(random, partitions, targets) });
    if (what === "pause") acts.push({ do: "pause", atMs }, { do: "resume", atMs: atMs + random.between(1, 10_000) });
    if (what === "options") acts.push({ do: "options", atMs });
    if (what === "remove")
      acts.push({ do: "remove", atMs }, { do: "subscribe", atMs: atMs + random.between(1, 10_000) });
  }
  return acts;
}

function targetOf(random: Random, partitions: number, targets: readonly (keyof typeof WEIGHTS)[]): ResetTarget {
  const how = random.pick(targets.flatMap((one) => Array.from({ length: WEIGHTS[one] }, () => one)));
  if (how !== "offsets") return { kind: how };
  const named = Array.from({ length: partitions }, (_, at) => at).filter((at) => at === 0 || random.chance(0.5));
  return { kind: "offsets", offsets: Object.fromEntries(named.map((at) => [String(at), random.between(0, 12)])) };
}
