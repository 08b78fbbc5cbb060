/** Tries rules on the invocations of the last hours: which of them would have waited. Nothing is written. */
import { tryRules, type PastRun, type Trial } from "../../core/limits/dry-run.ts";
import { ruleBook, type RuleBook } from "../../core/limits/rule-book.ts";
import type { Limits, Rule } from "../../core/limits/rule.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { knownNow } from "../operate/known-now.ts";
import { firstStartMs } from "./invocation-cells.ts";
import { ListingBudget, OWNER_LIMITS } from "./listing-budget.ts";
import { type ListingEntry, ListingStream } from "./listing-stream.ts";
import { loadListed } from "./waits-for.ts";

export interface TriedRule {
  readonly pattern: string;
  readonly limits: Limits;
}

export interface RuleTrials {
  /** In the order of the rules. */
  readonly trials: readonly Trial[];
  /** The accepted invocations of the time, as far as they were read. */
  readonly considered: number;
  /** The invocations that were loaded, mostly for one read unit each. */
  readonly read: number;
  /** The moment from which on all invocations were considered. */
  readonly sinceMs: number;
  /** False if a bound ended the reading before the whole time was read, or if an invocation could not be read. */
  readonly complete: boolean;
}

/** About 40 entries of the listing cost one read unit. */
const ENTRIES_MAX = 100_000;
const LOADS_MAX = 10_000;
const LOADS_AT_ONCE = 16;
const GROUP = 64;
const PAGE = 500;
/** Below the time that a gateway waits for an answer. */
const TIME_MAX_MS = 15_000;

/**
 * Reads the newest invocations first, and loads those that a rule may count.
 * @param tried with different patterns
 */
export async function tryRulesOnPast(engine: Engine, tried: readonly TriedRule[], overMs: number): Promise<RuleTrials> {
  const nowMs = engine.clock.nowMs();
  const rules = tried.map((rule): Rule => ({ ...rule, disabled: false, version: 0, modifiedAtMs: nowMs }));
  const past = new PastRuns(engine, nowMs, overMs);
  engine.registry.refresh();
  const stored = await engine.registry.rules();
  await past.readAll(ruleBook(rules.map(withoutKeys)));
  const { considered, read, sinceMs, complete, runs } = past;
  return { trials: tryRules(rules, stored.rules, runs, nowMs), considered, read, sinceMs, complete };
}

/** The listing has scopes and no limit keys, so a pattern of limit keys may count each invocation of its scope. */
function withoutKeys(rule: Rule): Rule {
  return rule.pattern.includes(":") ? rule : { ...rule, pattern: rule.pattern.split("/", 1)[0]! };
}

class PastRuns {
  readonly #engine: Engine;
  readonly #nowMs: number;
  readonly runs: PastRun[] = [];
  considered = 0;
  read = 0;
  sinceMs: number;
  complete = true;

  constructor(engine: Engine, nowMs: number, overMs: number) {
    this.#engine = engine;
    this.#nowMs = nowMs;
    this.sinceMs = nowMs - overMs;
  }

  /** @param candidates counts at least the invocations that the tried rules count */
  async readAll(candidates: RuleBook): Promise<void> {
    const range = { fromMs: this.sinceMs, toMs: this.#nowMs, firstPage: GROUP, nextPage: PAGE };
    const budget = new ListingBudget(OWNER_LIMITS);
    const stream = new ListingStream(this.#engine, budget, { order: "newest-first", ...range });
    let group: ListingEntry[] = [];
    for await (const entry of stream.once()) {
      if (this.#isAtBound(group.length)) {
        this.complete = false;
        this.sinceMs = entry.createdAtMs + 1;
        break;
      }
      this.considered += 1;
      if (candidates.poolsOf(entry).length > 0) group.push(entry);
      if (group.length < GROUP) continue;
      await this.#load(group);
      group = [];
    }
    await this.#load(group);
  }

  #isAtBound(waiting: number): boolean {
    const tookMs = this.#engine.clock.nowMs() - this.#nowMs;
    return this.considered >= ENTRIES_MAX || this.read + waiting >= LOADS_MAX || tookMs >= TIME_MAX_MS;
  }

  async #load(entries: readonly ListingEntry[]): Promise<void> {
    this.read += entries.length;
    const runs = await atMost(LOADS_AT_ONCE, entries, (entry) => this.#runOf(entry));
    for (const run of runs) if (run !== undefined) this.runs.push(run);
  }

  /** @returns undefined for an invocation that has not started, that is gone, or that is too large */
  async #runOf({ id }: ListingEntry): Promise<PastRun | undefined> {
    const loaded = await loadListed(this.#engine, id);
    if (loaded === undefined) {
      this.complete = false;
      return undefined;
    }
    const invocation = knownNow(this.#engine, loaded);
    const { target, limitKey } = invocation.acceptance;
    const startedAtMs = firstStartMs(this.#engine, loaded, invocation) ?? startOfEnded(invocation);
    if (startedAtMs === undefined) return undefined;
    return { ...target, limitKey, startedAtMs, endedAtMs: stoppedAtMs(invocation) };
  }
}

/** An ended invocation without a stored start counts from its acceptance on. */
function startOfEnded({ phase, acceptance }: Invocation): number | undefined {
  return phase.status === "completed" ? acceptance.createdAtMs : undefined;
}

const PLACELESS: ReadonlySet<string> = new Set(["suspended", "paused", "backing-off"]);

/** An invocation that is suspended, paused or backing off holds no place since its last change. */
function stoppedAtMs({ phase, modifiedAtMs }: Invocation): number | undefined {
  if (phase.status === "completed") return phase.endedAtMs;
  return PLACELESS.has(phase.status) ? modifiedAtMs : undefined;
}
