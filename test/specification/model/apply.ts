/**
 * The specification: the states that may follow an operation. A request has its answer in the state, at once or when what it
 * waits for has ended.
 */
import { latestOf, routeOf } from "./catalogue.ts";
import { register, remove, update } from "./deploying.ts";
import { kill, pause, resume } from "./interruptions.ts";
import { chosenFor, restart } from "./restarting.ts";
import { accept, metBy, withIdOf, withResult } from "./invocations.ts";
import { answered, answerOf, isOpen, keyAt, type State, withInvocation, withKey } from "./state.ts";
import { ALREADY_RUN, NOT_FOUND } from "./programs.ts";
import { cancel } from "./step-end.ts";
import { subscribing } from "./subscribing.ts";
import { forget, pass } from "./time.ts";
import type { Answer, Choice, Invocation, Operation } from "./words.ts";

/** After this time, everything that an operation started is over, or waits. */
export const PROMPT_MS = 30_000;
/** Callers hang up before a longer wait; the invocations go on. */
export const PATIENCE_MS = 3_600_000;

/** @returns the states that are possible after the operation and the time that it gets */
export function apply(state: State, operation: Operation, thoroughly = false): readonly State[] {
  const forMs = operation.do === "wait" ? operation.ms : PROMPT_MS;
  return begin(state, operation).flatMap((begun) => pass(begun, state.nowMs + forMs, thoroughly));
}

const UNKNOWN: Answer = { status: 404 };
const DONE: Answer = { status: 200 };
const NOTED: Answer = { status: 202 };

function begin(state: State, operation: Operation): readonly State[] {
  const killedOne = operation.do === "kill" ? withIdOf(state, operation.of) : undefined;
  if (killedOne !== undefined) return killed(state, killedOne);
  return [begun(state, operation)];
}

function killed(state: State, found: Invocation): readonly State[] {
  if (!isOpen(found)) return [answered(state, { status: 409 })];
  return kill(answered(state, DONE), found.name);
}

function begun(state: State, operation: Operation): State {
  switch (operation.do) {
    case "wait":
      return operation.ms > PATIENCE_MS ? loseRequests(state) : state;
    case "reopen":
      return loseRequests(state);
    case "call":
    case "send":
      return submit(state, operation);
    case "attach":
    case "output":
      return ask(state, operation.do, withIdOf(state, operation.of));
    case "ask": {
      const { question, target, key } = operation;
      // Handlers that are not registered may have been private, so nothing tells about their idempotent requests.
      if (routeOf(state.catalogue, target) === undefined)
        return key === undefined ? ask(state, question, undefined) : answered(state, UNKNOWN);
      return ask(state, question, metBy(state, { target, ...(key !== undefined && { key }) }));
    }
    case "register":
      return register(state, operation);
    case "update":
      return update(state, operation);
    case "remove":
      return remove(state, operation);
    case "edit":
      return edit(state, operation);
    case "resolve":
    case "reject":
      return complete(state, operation);
    case "connect":
    case "disconnect":
    case "subscribe":
    case "unsubscribe":
    case "hold":
    case "release":
      return subscribing(state, operation);
    default:
      return operate(state, operation);
  }
}

function submit(state: State, operation: Extract<Operation, { do: "call" | "send" }>): State {
  const { name, target, program, key, delayMs } = operation;
  const route = routeOf(state.catalogue, target);
  if (route === undefined) return answered(state, UNKNOWN);
  if (route.kind === "workflow" && key !== undefined) return answered(state, { status: 400 });
  const met = metBy(state, { target, ...(key !== undefined && { key }) });
  const startAtMs = delayMs !== undefined && delayMs > 0 ? state.nowMs + delayMs : undefined;
  const asked = { name, target, program, fromOutside: true };
  const accepted =
    met === undefined
      ? accept(state, { ...asked, ...(key !== undefined && { key }), ...(startAtMs !== undefined && { startAtMs }) })
      : state;
  if (operation.do === "send") {
    const status = met === undefined ? "Accepted" : "PreviouslyAccepted";
    return answered(accepted, { status: 202, says: `${status} ${met?.name ?? name}` });
  }
  if (met?.kind === "workflow") return answered(state, answerOf({ failure: ALREADY_RUN }));
  return waitFor(accepted, accepted.invocations[met?.name ?? name]!);
}

function waitFor(state: State, { name, phase }: Invocation): State {
  if (phase.is === "completed") return answered(state, answerOf(phase.result));
  return { ...state, requests: [...state.requests, { waitsFor: name }] };
}

function ask(state: State, question: "attach" | "output", of: Invocation | undefined): State {
  if (of === undefined) return answered(state, question === "attach" ? answerOf({ failure: NOT_FOUND }) : UNKNOWN);
  if (question === "output" && isOpen(of)) return answered(state, { status: 470 });
  return waitFor(state, of);
}

/** Callers that hang up, or whose process ends, get no answer; the invocations go on. */
function loseRequests(state: State): State {
  return {
    ...state,
    requests: state.requests.map((one) => (one.answer === undefined ? { answer: { status: 0 } } : one)),
  };
}

/** An edit replaces the whole state: at once, or in its turn behind the holder and the queue of the key. */
function edit(state: State, { service, key, values }: Extract<Operation, { do: "edit" }>): State {
  if (latestOf(state.catalogue, service) === undefined)
    return answered(state, Object.keys(values).length === 0 ? NOTED : UNKNOWN);
  const place = `${service}/${key}`;
  const { holder, queue } = keyAt(state, place);
  return answered(withKey(state, place, holder === undefined ? { values } : { queue: [...queue, { values }] }), NOTED);
}

function complete(state: State, operation: Extract<Operation, { do: "resolve" | "reject" }>): State {
  const { of, step, value } = operation;
  const noted = answered(state, NOTED);
  const found = state.invocations[of];
  // An awakeable exists from its step on, and only its first completion counts.
  if (found === undefined || found.at !== step || found.results[step] !== undefined) return noted;
  const result = operation.do === "resolve" ? { value } : ({ failure: { code: 500, message: value } } as const);
  const { phase } = found;
  if (phase.is === "suspended" && phase.on.for === "awakeable") return withResult(noted, of, result);
  if (phase.is === "paused" && phase.was.is === "suspended" && phase.was.on.for === "awakeable")
    return withInvocation(noted, of, { results: { ...found.results, [step]: result } });
  return noted;
}

type Operating = Extract<
  Operation,
  { do: "restart" | "resume" | "cancel" | "kill" | "pause" | "purge" | "purge-journal" }
>;

function operate(state: State, operation: Operating): State {
  const found = withIdOf(state, operation.of);
  if (found === undefined) return answered(state, UNKNOWN);
  const { name } = found;
  const open = isOpen(found);
  switch (operation.do) {
    case "kill":
      throw new Error("a kill may lead to several states");
    case "cancel":
      if (!open) return answered(state, { status: 409 });
      return answered(cancel(state, name), found.hasBegun || found.isCopy ? NOTED : DONE);
    case "pause":
      if (!open) return answered(state, { status: 409 });
      if (found.phase.is === "paused") return answered(state, DONE);
      return answered(pause(state, name), NOTED);
    case "resume":
      if (!open) return answered(state, { status: 409 });
      if (found.phase.is === "scheduled" || found.phase.is === "pending") return answered(state, { status: 425 });
      return resumed(state, found, operation.on ?? "keep");
    case "purge":
      return open ? answered(state, { status: 409 }) : answered(forget(state, found), DONE);
    case "purge-journal":
      if (open) return answered(state, { status: 409 });
      return answered(withInvocation(state, name, { hasJournal: false }), DONE);
    case "restart":
      return restart(state, found, operation);
  }
}

/**
 * An invocation with an attempt under way cannot be moved. One that has not begun, and is to go on at the latest deployment, finds that
 * deployment when it begins.
 */
function resumed(state: State, { name, phase, deployment, hasBegun, target }: Invocation, on: Choice): State {
  if (on === "keep") return answered(resume(state, name), DONE);
  if (phase.is === "running") return answered(state, { status: 409 });
  const chosen = chosenFor(state, target, on);
  if (chosen === undefined) return answered(state, { status: 400 });
  const isLeft = on === "latest" && deployment === undefined && !hasBegun;
  const moved = isLeft ? state : withInvocation(state, name, { deployment: chosen });
  return answered(resume(moved, name), DONE);
}
