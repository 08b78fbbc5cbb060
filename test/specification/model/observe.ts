/** What callers and operators can see of a state: the shape that is compared with the product. */
import { answerOf, keyAt, type State } from "./state.ts";

export type Observation = Readonly<Record<string, string>>;

/**
 * Each line of an observation is one fact, by the name of what it is about.
 * @param keys whose state is looked at
 */
export function observe(state: State, keys: readonly string[]): Observation {
  const seen: Record<string, string> = {};
  for (const { name, phase } of Object.values(state.invocations)) {
    seen[`invocation ${name}`] = phase.is === "completed" ? phase.outcome : phase.is;
    if (phase.is === "completed") seen[`result of ${name}`] = JSON.stringify(answerOf(phase.result));
  }
  for (const key of keys)
    if (Object.keys(keyAt(state, key).values).length > 0) seen[`state of ${key}`] = textOf(keyAt(state, key).values);
  for (const [at, { answer }] of state.requests.entries())
    seen[`answer ${at + 1}`] = answer === undefined ? "none yet" : JSON.stringify(answer);
  return seen;
}

export function textOf(values: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}
