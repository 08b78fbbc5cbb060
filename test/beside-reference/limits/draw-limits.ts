/** Draws the next act of a scope, and changes of rules, whose outcome no server may choose. */
import type { Random } from "../../simulation/random.ts";
import { KINDS } from "../program.ts";
import { type Act, acted, type NewJob } from "./acts.ts";
import { type Job, queueOf, type Rule, settled, type World } from "./model.ts";

/** The empty one is none. */
const LIMIT_KEYS = ["", "a", "a", "b", "a/x", "a/x", "a/y", "b/x"];
/** So many queues has a scope: of many queues, any may be next, and then the servers may choose. */
const QUEUES = 3;
const TRIES = 12;
const OPEN_MAX = 9;

export class ActDrawing {
  readonly #random: Random;
  readonly #queues = new Map<string, readonly Pick<NewJob, "kind" | "limitKey">[]>();
  #drawn = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** @returns undefined if no drawn act has an outcome of its own */
  actIn(scope: string, world: World): { readonly act: Act; readonly world: World } | undefined {
    return this.#forced(world, () => this.#act(scope, world));
  }

  /** @param scopes each pattern names one of these, or all */
  ruleChange(scopes: readonly string[], world: World): { readonly act: Act; readonly world: World } | undefined {
    return this.#forced(world, () => this.#rule(scopes, world.rules));
  }

  #forced(world: World, draw: () => Act | undefined): { readonly act: Act; readonly world: World } | undefined {
    for (let tried = 0; tried < TRIES; tried++) {
      const act = draw();
      const next = act && settled(acted(world, act));
      if (act !== undefined && next !== undefined && !mayRace(act, next)) return { act, world: next };
    }
    return undefined;
  }

  #rule(scopes: readonly string[], rules: readonly Rule[]): Act {
    const random = this.#random;
    const [known] = rules.length === 0 ? [] : [random.pick(rules)];
    if (known !== undefined && random.chance(0.25)) return { do: "unrule", pattern: known.pattern };
    const pattern = known !== undefined && random.chance(0.4) ? known.pattern : this.#pattern(scopes);
    return {
      do: "rule",
      rule: {
        pattern,
        ...(random.chance(0.88) && { concurrency: random.pick([1, 1, 2, 2, 3]) }),
        disabled: random.chance(0.15),
      },
    };
  }

  #pattern(scopes: readonly string[]): string {
    const random = this.#random;
    const levels = [
      [random.pick(scopes), random.pick(scopes), "*"],
      ["a", "b", "*"],
      ["x", "y", "*"],
    ];
    return levels
      .slice(0, random.pick([1, 1, 2, 2, 3]))
      .map((names) => random.pick(names))
      .join("/");
  }

  #act(scope: string, { jobs }: World): Act | undefined {
    const random = this.#random;
    const open = jobs.filter((job) => job.scope === scope && job.status !== "ended");
    const job = open.length === 0 ? undefined : random.pick(open);
    if (job === undefined || (open.length < OPEN_MAX && random.chance(0.35))) return this.#send(scope);
    const possible = actsOn(job, jobs);
    return possible.length === 0 ? undefined : this.#on(job, random.pick(possible));
  }

  #send(scope: string): Act {
    const random = this.#random;
    const jobs = Array.from({ length: random.between(1, 3) }, () => this.#job(scope));
    return { do: "send", by: random.pick(["client", "handler"] as const), jobs };
  }

  #job(scope: string): NewJob {
    const random = this.#random;
    const queues = this.#queues.get(scope) ?? Array.from({ length: QUEUES }, () => this.#queue());
    this.#queues.set(scope, queues);
    const handler = random.pick(["work", "work", "frail"] as const);
    return { name: `${scope}-${this.#drawn++}`, handler, scope, ...random.pick([queues[0]!, ...queues]) };
  }

  #queue(): Pick<NewJob, "kind" | "limitKey"> {
    const limitKey = this.#random.pick(LIMIT_KEYS);
    return { kind: this.#random.pick(KINDS), ...(limitKey !== "" && { limitKey }) };
  }

  #on({ name, scope }: Job, how: Exclude<Act["do"], "send" | "rule" | "unrule">): Act {
    if (how !== "call") return { do: how, name };
    return { do: "call", name, child: this.#job(scope) };
  }
}

/** Of those that are sent together, any may come to the last free place first. */
function mayRace(act: Act, { jobs }: World): boolean {
  if (act.do !== "send") return false;
  const names = new Set(act.jobs.map(({ name }) => name));
  const begun = new Map<string, boolean>();
  return jobs.some((job) => {
    if (!names.has(job.name)) return false;
    const before = begun.get(queueOf(job)) ?? job.hasBegun;
    begun.set(queueOf(job), before);
    return before !== job.hasBegun;
  });
}

type ActOnJob = Exclude<Act["do"], "send" | "rule" | "unrule">;

function actsOn(job: Job, jobs: readonly Job[]): readonly ActOnJob[] {
  const hasCalled = jobs.some(({ caller, status }) => caller === job.name && status !== "ended");
  if (hasCalled) return [];
  const isCalled = job.caller !== undefined;
  // A kill also ends the calls that wait for the one that is killed.
  const kills: readonly ActOnJob[] = isCalled ? [] : ["kill"];
  switch (job.status) {
    case "waiting":
      return job.isCancelled ? [] : [...kills, ...(job.hasBegun || isCalled ? [] : (["cancel"] as const))];
    case "running":
      return ["end", "end", "end", "end", "fail", "fail", ...(suspends(job) ? SUSPENDING : []), ...kills];
    case "suspended":
      return ["resolve", "resolve", ...(isCalled ? [] : (["cancel"] as const)), ...kills];
    case "backing-off":
    case "paused":
      return ["resume", "resume", ...kills];
    case "ended":
      return [];
  }
}

const SUSPENDING: readonly ActOnJob[] = ["wait", "wait", "call"];

/** On an exchange that stays open, a server chooses when a handler that waits is to suspend. */
function suspends({ kind }: Job): boolean {
  return kind !== "open";
}
