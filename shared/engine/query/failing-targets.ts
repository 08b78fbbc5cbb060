/** The open invocations that are paused or back off, counted by target in one walk; of each target, a few are kept to be read. */
import { causeId, causeText, type Failed } from "../../core/query/cause.ts";
import { circuitName } from "../../core/model/circuit.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import type { Summary } from "./open-listing.ts";
import { type DetailedRow, errorOfRow, RowReader } from "./row-details.ts";

export type FailingKind = "paused" | "failing";

/** Invocations of one handler that are stuck by one cause. */
export interface CauseGroup {
  readonly kind: FailingKind;
  readonly service: string;
  readonly handler: string;
  /** Undefined if no failure is stored, as after a pause by order. */
  readonly cause?: { readonly id: string; readonly text: string };
  /** The error of one of them. */
  readonly error?: Failed;
  readonly sinceMs: number;
  /** How many of `lookedAt` have this cause. */
  readonly count: number;
  /** How many invocations of the target were read, of `among` in this status. */
  readonly lookedAt: number;
  readonly among: number;
}

interface Target {
  readonly kind: FailingKind;
  readonly service: string;
  readonly handler: string;
  among: number;
  readonly kept: Summary[];
}

const TARGETS_MAX = 1_000;
const GROUPS_MAX = 24;
/** The largest targets are read first. Together they cost some hundred read units at most. */
const READ_TARGETS_MAX = 12;
const READ_EACH_MAX = 20;

export class FailingTargets {
  readonly #engine: Engine;
  readonly #targets = new Map<string, Target>();
  /** By the name of an open circuit: the invocations whose attempts it holds back. */
  readonly held = new Map<string, number>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  add(row: Summary): void {
    const { status, service, handler } = row;
    if (status !== "paused" && status !== "backing-off") return;
    if (status === "backing-off" && this.#holds(row)) return;
    const kind = status === "paused" ? "paused" : "failing";
    const key = JSON.stringify([kind, service, handler]);
    const target = this.#targets.get(key) ?? { kind, service, handler, among: 0, kept: [] };
    if (target.among === 0 && this.#targets.size >= TARGETS_MAX) return;
    this.#targets.set(key, target);
    target.among += 1;
    if (target.kept.length < READ_EACH_MAX) target.kept.push(row);
  }

  /** An invocation without a pin makes its next attempt on the latest deployment of its service. */
  #holds({ service, deploymentId }: Summary): boolean {
    const { registry } = this.#engine;
    const owner = (deploymentId as DeploymentId | undefined) ?? registry.ownerOf(service);
    if (owner === undefined) return false;
    const name = circuitName({ service, deploymentId: owner });
    if (!registry.circuits().has(name)) return false;
    this.held.set(name, (this.held.get(name) ?? 0) + 1);
    return true;
  }

  /** The largest groups first, paused ones before failing ones. Costs a read of at most 240 lease records. */
  async groups(): Promise<readonly CauseGroup[]> {
    const largest = [...this.#targets.values()].toSorted(byKindAndSize).slice(0, READ_TARGETS_MAX);
    const rows = await new RowReader(this.#engine).details(largest.flatMap(({ kept }) => kept));
    let at = 0;
    const groups = largest.flatMap((target) => {
      const own = rows.slice(at, at + target.kept.length);
      at += target.kept.length;
      return groupsOf(target, own);
    });
    // The groups of one handler have the same size of their target, so the larger group comes first.
    return groups.toSorted((a, b) => byKindAndSize(a, b) || b.count - a.count).slice(0, GROUPS_MAX);
  }
}

function groupsOf({ kind, service, handler, among }: Target, rows: readonly DetailedRow[]): readonly CauseGroup[] {
  const byCause = new Map<string, DetailedRow[]>();
  for (const row of rows) {
    const error = errorOfRow(row);
    const id = error === undefined ? "" : causeId(error);
    byCause.set(id, [...(byCause.get(id) ?? []), row]);
  }
  return [...byCause].map(([id, own]) => {
    const error = errorOfRow(own[0]!);
    return {
      kind,
      service,
      handler,
      ...(error !== undefined && { error, cause: { id, text: causeText(error) } }),
      sinceMs: Math.min(...own.map(({ lastFailure, createdAtMs }) => lastFailure?.atMs ?? createdAtMs)),
      count: own.length,
      lookedAt: rows.length,
      among,
    };
  });
}

function byKindAndSize(a: Pick<CauseGroup, "kind" | "among">, b: Pick<CauseGroup, "kind" | "among">): number {
  if (a.kind !== b.kind) return a.kind === "paused" ? -1 : 1;
  return b.among - a.among;
}
