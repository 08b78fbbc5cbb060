/** A restart makes a new invocation of the same request, on the chosen deployment, from its input or from its first steps. */
import { deploymentNamed, latestOf } from "./catalogue.ts";
import { acceptAs, type Former } from "./invocations.ts";
import { leavesCommand } from "./programs.ts";
import { answered, type State } from "./state.ts";
import type { Answer, Choice, Invocation, Name, Operation, Target } from "./words.ts";

type Restart = Extract<Operation, { do: "restart" }>;

/** The new invocation has no idempotency key: the key goes on naming the former one. */
export function restart(state: State, former: Invocation, { name, on = "latest", keeps = 0 }: Restart): State {
  const refusal = refusalOf(former, keeps);
  if (refusal !== undefined) return answered(state, refusal);
  const { target, program, kind, keptMs, journalKeptMs, deployment } = former;
  const chosen = on === "keep" ? deployment : chosenFor(state, target, on);
  if (on !== "keep" && chosen === undefined) return answered(state, { status: 400 });
  // By default, a restart from the input finds its deployment when its handler begins.
  const begun = on === "latest" && keeps === 0 ? undefined : chosen;
  const copied = { kind, keptMs, journalKeptMs, deployment: begun, ...(keeps > 0 && firstSteps(former, keeps)) };
  const restarted = acceptAs(state, { name, target, program, fromOutside: true }, copied);
  return answered(restarted, { status: 200, says: name });
}

/** The chosen deployment need not offer the handler yet. */
export function chosenFor({ catalogue }: State, { service }: Target, on: Choice): Name | undefined {
  return (on === "latest" ? latestOf(catalogue, service) : deploymentNamed(catalogue, on))?.name;
}

function refusalOf({ phase, kind, hasJournal, deployment }: Invocation, keeps: number): Answer | undefined {
  if (phase.is === "scheduled" || phase.is === "pending") return { status: 425 };
  if (phase.is !== "completed") return { status: 409 };
  if (kind === "workflow") return { status: 422 };
  if (!hasJournal) return { status: 410 };
  return keeps > 0 && deployment === undefined ? { status: 422 } : undefined;
}

/** The restart does not repeat the calls and results of these steps. */
function firstSteps({ given, traces, program, calls }: Invocation, keeps: number): Partial<Former> {
  const last = traces[keeps - 1];
  const made = (last?.calls.length ?? 0) + (program.steps[keeps - 1]?.do === "call" ? 1 : 0);
  return {
    at: keeps,
    given: given.slice(0, keeps),
    calls: calls.slice(0, made),
    signals: last?.signals ?? [],
    cancels: last?.cancels ?? 0,
    traces: Object.fromEntries(Object.entries(traces).filter(([at]) => Number(at) < keeps)),
    isCopy: true,
  };
}

/** A prefix ends with a command and has no step that a cancel ended. The values that its handler has set are not those of its object. */
export function mayKeep({ program, given }: Invocation, keeps: number): boolean {
  const kept = program.steps.slice(0, keeps);
  const last = kept.at(-1);
  if (last === undefined || !leavesCommand(last) || given.length < keeps) return false;
  return (
    kept.every(({ do: kind }) => kind !== "set" && kind !== "clear") && !given.slice(0, keeps).includes("failed 409")
  );
}
