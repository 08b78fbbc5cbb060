/** The acts of clients and operators on limited invocations, and what each does to the model. */
import type { Kind } from "../program.ts";
import type { Job, Rule, World } from "./model.ts";

export interface NewJob {
  readonly name: string;
  readonly kind: Kind;
  readonly scope: string;
  readonly limitKey?: string;
  /** `frail` is paused by its first failure. */
  readonly handler: "work" | "frail";
}

export type Act =
  /** One after the other by a client, or in one go by a handler. */
  | { readonly do: "send"; readonly by: "client" | "handler"; readonly jobs: readonly NewJob[] }
  /** The handler returns. */
  | { readonly do: "end"; readonly name: string }
  /** The handler waits for an awakeable. */
  | { readonly do: "wait"; readonly name: string }
  | { readonly do: "resolve"; readonly name: string }
  /** The handler fails once. The next attempt would come after an hour, or never. */
  | { readonly do: "fail"; readonly name: string }
  /** The handler calls another one, and waits for its result. */
  | { readonly do: "call"; readonly name: string; readonly child: NewJob }
  | { readonly do: "resume" | "kill" | "cancel"; readonly name: string }
  | { readonly do: "rule"; readonly rule: Rule }
  | { readonly do: "unrule"; readonly pattern: string };

/** The world before anything that may run runs. */
export function acted(world: World, act: Act): World {
  switch (act.do) {
    case "send":
      return { ...world, jobs: [...world.jobs, ...act.jobs.map(fresh)] };
    case "end":
      return answered(
        changed(world, act.name, (job) => ({ ...ordered(job), status: "ended", hasReturned: true })),
        act.name,
      );
    case "wait":
      return changed(world, act.name, (job) => ({
        ...ordered(job),
        awakeables: job.awakeables + 1,
        status: "suspended",
      }));
    case "resolve":
      return changed(world, act.name, (job) => ({ ...job, status: "waiting" }));
    case "fail":
      return changed(world, act.name, (job) => ({
        ...ordered(job),
        status: job.handler === "frail" ? "paused" : "backing-off",
      }));
    case "call":
      return called(
        changed(world, act.name, (job) => ({ ...ordered(job), status: "suspended" })),
        { ...fresh(act.child), caller: act.name },
      );
    case "resume":
      return changed(world, act.name, (job) => ({ ...job, status: "waiting" }));
    case "kill":
      return changed(world, act.name, (job) => ({ ...job, status: "ended" }));
    case "cancel":
      return changed(world, act.name, (job) =>
        job.hasBegun ? { ...job, status: "waiting", isCancelled: true } : { ...job, status: "ended" },
      );
    case "rule":
      return { ...world, rules: [...without(world.rules, act.rule.pattern), act.rule] };
    case "unrule":
      return { ...world, rules: without(world.rules, act.pattern) };
  }
}

function called(world: World, child: Job): World {
  return { ...world, jobs: [...world.jobs, child] };
}

function fresh(job: NewJob): Job {
  return {
    ...job,
    status: "waiting",
    hasBegun: false,
    orders: 0,
    awakeables: 0,
    isCancelled: false,
    hasReturned: false,
  };
}

function ordered(job: Job): Job {
  return { ...job, orders: job.orders + 1 };
}

function changed(world: World, name: string, change: (job: Job) => Job): World {
  return { ...world, jobs: world.jobs.map((job) => (job.name === name ? change(job) : job)) };
}

/** The caller of one that has ended goes on. */
function answered(world: World, name: string): World {
  const caller = world.jobs.find((job) => job.name === name)?.caller;
  return caller === undefined ? world : changed(world, caller, (job) => ({ ...job, status: "waiting" }));
}

function without(rules: readonly Rule[], pattern: string): readonly Rule[] {
  return rules.filter((rule) => rule.pattern !== pattern);
}
