/** Handlers, step by step: each step acts or waits, and the handler goes on when the awaited thing has come. */
import { routeOf, runsOn } from "./catalogue.ts";
import { accept, end, metBy, withIdOf, withResult } from "./invocations.ts";
import { failed, given, seeCancel } from "./step-end.ts";
import { inPhase, keyAt, keyOf, type State, withInvocation, withKey } from "./state.ts";
import type { Failure, Invocation, Name, Result, Step, Wait } from "./words.ts";

/** The answer to whoever calls the run of a workflow that runs or has run. */
export const ALREADY_RUN: Failure = { code: 409, message: "the workflow method was already invoked" };
export const NOT_FOUND: Failure = { code: 404, message: "not found" };
const DONE = "done";

/** Lets a running invocation do its next step. @returns the states that may follow */
export function advance(state: State, name: Name): readonly State[] {
  const invocation = state.invocations[name]!;
  const begun = withInvocation(state, name, { hasBegun: true });
  const on = runsOn(state.catalogue, invocation);
  if (on === undefined) return [hold(begun, invocation)];
  const { at, program } = invocation;
  const step = program.steps[at];
  const pinned = withInvocation(begun, name, { deployment: on.name });
  if (step === undefined) return [finish(pinned, invocation)];
  if (invocation.asked === undefined && isRefused(state, step)) return [hold(begun, invocation)];
  const next = goOn(leavesCommand(step) ? traced(pinned, invocation) : begun, invocation, step);
  // The output of a handler is a command too.
  return next.map((one) =>
    one.invocations[name]?.phase.is === "completed" ? withInvocation(one, name, { deployment: on.name }) : one,
  );
}

function goOn(going: State, invocation: Invocation, step: Step): readonly State[] {
  const { name, asked, at, cancels, results } = invocation;
  const result = results[at];
  if (asked !== undefined && cancels === 0 && result === undefined && isForResult(asked))
    return [suspended(going, name, asked)];
  if (cancels === 0 || !waits(step)) return [take(going, invocation, step, result)];
  const cancelled = seeCancel(withoutWaiting(going, invocation, step), name);
  // If result and cancel both came while the invocation was held, either may be seen first.
  const hasCome = result !== undefined || isKept(going, invocation, step);
  return hasCome ? [take(going, invocation, step, result), cancelled] : [cancelled];
}

/** An attempt that finds no deployment, or calls a handler that is not registered, fails, and pauses the invocation. */
function hold(state: State, { name, asked }: Invocation): State {
  const was = asked === undefined ? ({ is: "running" } as const) : ({ is: "suspended", on: asked } as const);
  return inPhase(state, name, { is: "paused", was });
}

function isRefused({ catalogue }: State, step: Step): boolean {
  return (step.do === "call" || step.do === "send") && routeOf(catalogue, step.target) === undefined;
}

function traced(state: State, { name, at, calls, signals, cancels, traces }: Invocation): State {
  if (traces[at] !== undefined) return state;
  return withInvocation(state, name, { traces: { ...traces, [at]: { calls, signals, cancels } } });
}

/** The first command in its journal makes an invocation stay on its deployment; awakeables and signals leave none. */
export function leavesCommand(step: Step): boolean {
  return step.do !== "awakeable" && step.do !== "hear";
}

/** True if the wait ends by what comes to the invocation itself, and not by what is kept elsewhere. */
function isForResult(asked: Wait): boolean {
  return asked.for === "timer" || asked.for === "result" || asked.for === "awakeable";
}

/** True for a promise that was completed, or a signal that came, while the handler that waits for it was held. */
function isKept(state: State, { asked, target, signals }: Invocation, step: Step): boolean {
  if (asked === undefined) return false;
  if (step.do === "hear") return signals.some(({ signal: one }) => one === step.signal);
  return step.do === "promise" && keyAt(state, keyOf(target)).promises[step.name] !== undefined;
}

/** A cancel that has come before is seen where the handler waits: it has asked for the step by then. */
function withoutWaiting(state: State, invocation: Invocation, step: Step): State {
  if (invocation.asked !== undefined || !["call", "send", "keep"].includes(step.do)) return state;
  const { name, program } = invocation;
  const { calls, deployment, traces } = state.invocations[name]!;
  // A failure of the step must not end the invocation, because the handler sees the cancel in its place.
  const catching = withInvocation(state, name, { program: { ...program, catches: true } });
  const asked = withInvocation(take(catching, invocation, step, undefined), name, {
    ...invocation,
    hasBegun: true,
    deployment,
    traces,
  });
  return step.do === "call" ? withInvocation(asked, name, { calls: [...calls, `${name}.${invocation.at}`] }) : asked;
}

function waits(step: Step): boolean {
  return !["set", "clear", "get", "tell"].includes(step.do);
}

function finish(state: State, { name, program, given }: Invocation): State {
  if (program.fails === undefined) return end(state, name, { value: given }, "succeeded");
  return end(state, name, { failure: { code: program.fails, message: "it fails" } }, "failed");
}

function suspended(state: State, name: Name, on: Wait): State {
  return inPhase(withInvocation(state, name, { asked: on }), name, { is: "suspended", on });
}

function outcomeOf(state: State, name: Name, result: Result): State {
  if ("failure" in result) return failed(state, name, result.failure, "failed");
  return given(state, name, result.value);
}

function take(state: State, invocation: Invocation, step: Step, result: Result | undefined): State {
  const { name, at, stumbled, target } = invocation;
  if (result !== undefined) return outcomeOf(state, name, result);
  const key = keyOf(target);
  const { values, promises } = keyAt(state, key);
  switch (step.do) {
    case "set":
      return given(withKey(state, key, { values: { ...values, [step.name]: step.value } }), name, DONE);
    case "clear": {
      const { [step.name]: _, ...rest } = values;
      return given(withKey(state, key, { values: rest }), name, DONE);
    }
    case "get":
      return given(state, name, values[step.name] ?? null);
    case "where":
      return given(state, name, runsOn(state.catalogue, invocation)!.uri);
    case "sleep":
      return suspended(state, name, { for: "timer", untilMs: state.nowMs + step.ms });
    case "stumble":
      if (stumbled >= step.times) return given(state, name, DONE);
      return inPhase(withInvocation(state, name, { stumbled: stumbled + 1 }), name, {
        is: "backing-off",
        untilMs: state.nowMs + step.waitMs,
      });
    case "awakeable":
      return suspended(state, name, { for: "awakeable" });
    case "call":
    case "send":
      return start(state, invocation, step);
    case "attach": {
      const of = withIdOf(state, step.of);
      if (of === undefined) return failed(state, name, NOT_FOUND, "failed");
      return awaitEnd(state, name, of);
    }
    case "hear":
      return hear(state, invocation, step.signal);
    case "tell":
      return given(signal(state, step.of, step.signal, step.value), name, DONE);
    case "promise":
      if (promises[step.name] !== undefined) return given(state, name, promises[step.name]);
      return suspended(state, name, { for: "promise", name: step.name });
    case "peek":
      return given(state, name, promises[step.name] ?? null);
    case "keep":
      if (promises[step.name] !== undefined)
        return failed(state, name, { code: 409, message: "promise was already completed" }, "failed");
      return given(kept(state, key, step.name, step.value), name, DONE);
  }
  throw new Error(`there is no step ${at}`);
}

/** Starts the child of a step, unless it meets an invocation. A call waits for its end. */
function start(state: State, { name, at, calls }: Invocation, step: Extract<Step, { do: "call" | "send" }>): State {
  const { target, program } = step;
  const key = step.do === "send" ? step.key : undefined;
  const met = metBy(state, { target, ...(key !== undefined && { key }) });
  const child = `${name}.${at}`;
  const startAtMs = step.do === "send" && step.delayMs > 0 ? state.nowMs + step.delayMs : undefined;
  const asked = { name: child, target, program, fromOutside: false };
  const started =
    met === undefined
      ? accept(state, { ...asked, ...(key !== undefined && { key }), ...(startAtMs !== undefined && { startAtMs }) })
      : state;
  if (step.do === "send") return given(started, name, "sent");
  const noted = withInvocation(started, name, { calls: [...calls, child] });
  // Its id is that of the run that it has met: a cancel of the caller reaches that run.
  if (met?.kind === "workflow") return failed(noted, name, ALREADY_RUN, "failed");
  return awaitEnd(noted, name, noted.invocations[child]!);
}

function awaitEnd(state: State, name: Name, of: Invocation): State {
  if (of.phase.is === "completed") return withResult(state, name, of.phase.result);
  return suspended(state, name, { for: "result", of: of.name });
}

function hear(state: State, { name, signals }: Invocation, wanted: string): State {
  const first = signals.findIndex((one) => one.signal === wanted);
  if (first < 0) return suspended(state, name, { for: "signal", signal: wanted });
  const left = signals.filter((_, at) => at !== first);
  return given(withInvocation(state, name, { signals: left }), name, signals[first]!.value);
}

/** A named signal is kept until the handler hears it; each one is heard once. */
export function signal(state: State, to: Name, name: string, value: string): State {
  const found = withIdOf(state, to);
  if (found === undefined || found.phase.is === "completed") return state;
  const of = found.name;
  const told = withInvocation(state, of, { signals: [...found.signals, { signal: name, value }] });
  const { phase } = found;
  const isHeard = phase.is === "suspended" && phase.on.for === "signal" && phase.on.signal === name;
  return isHeard ? inPhase(told, of, { is: "running" }) : told;
}

/** A promise of a workflow has one value for good, and everybody who waits for it goes on, or once it is resumed. */
export function kept(state: State, key: string, name: string, value: string): State {
  const { promises } = keyAt(state, key);
  let told = withKey(state, key, { promises: { ...promises, [name]: value } });
  for (const { name: waiting, target, at, phase, results } of Object.values(state.invocations)) {
    const was = phase.is === "paused" ? phase.was : phase;
    if (was.is !== "suspended" || was.on.for !== "promise" || was.on.name !== name || keyOf(target) !== key) continue;
    if (phase.is === "paused") told = withInvocation(told, waiting, { results: { ...results, [at]: { value } } });
    else told = inPhase(told, waiting, { is: "running" });
  }
  return told;
}
