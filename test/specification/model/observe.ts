/** The view that callers and operators have of a state; it has the shape that is compared with the product. */
import { latestOf, type Subscription } from "./catalogue.ts";
import { revisionsText } from "./deploying.ts";
import { answerOf, keyAt, openOnes, type State } from "./state.ts";

export type Observation = Readonly<Record<string, string>>;

export interface Looking {
  /** Keys whose state is looked at. */
  readonly keys: readonly string[];
  /** True for a look at deployments, clusters and subscriptions. */
  readonly atCatalogue: boolean;
}

/** Each line of an observation is one fact, by the name of what it is about. */
export function observe(state: State, { keys, atCatalogue }: Looking): Observation {
  const seen: Record<string, string> = atCatalogue ? { ...deploymentsOf(state), ...subscriptionsOf(state) } : {};
  for (const { name, phase, deployment } of Object.values(state.invocations)) {
    seen[`invocation ${name}`] = phase.is === "completed" ? phase.outcome : phase.is;
    if (phase.is !== "completed" && deployment !== undefined) seen[`deployment of ${name}`] = deployment;
    if (phase.is === "completed") seen[`result of ${name}`] = JSON.stringify(answerOf(phase.result));
  }
  for (const key of keys)
    if (Object.keys(keyAt(state, key).values).length > 0 && isOffered(state, key))
      seen[`state of ${key}`] = textOf(keyAt(state, key).values);
  for (const [at, { answer }] of state.requests.entries())
    seen[`answer ${at + 1}`] = answer === undefined ? "none yet" : JSON.stringify(answer);
  return seen;
}

function isOffered({ catalogue }: State, key: string): boolean {
  return latestOf(catalogue, key.split("/")[0]!) !== undefined;
}

/** A deployment that serves no new invocations drains for as long as open ones stay on it. */
function deploymentsOf(state: State): Record<string, string> {
  const { catalogue } = state;
  const seen = catalogue.deployments.map((one) => {
    const { name, uri, revisions } = one;
    const isActive = Object.keys(revisions).some((service) => latestOf(catalogue, service) === one);
    const pinned = openOnes(state).filter(({ deployment }) => deployment === name).length;
    const status = isActive ? "active" : pinned > 0 ? `draining ${pinned}` : "drained";
    return [`registered ${name}`, `${uri} ${revisionsText(revisions)} ${status}`] as const;
  });
  return Object.fromEntries(seen);
}

function subscriptionsOf({ catalogue }: State): Record<string, string> {
  const clusters = catalogue.clusters.map((name) => [`cluster ${name}`, "there"] as const);
  const subscriptions = catalogue.subscriptions.map(
    (one) => [`subscription ${one.name}`, subscriptionText(one)] as const,
  );
  return Object.fromEntries([...clusters, ...subscriptions]);
}

export function subscriptionText({ source, sink, isHeld }: Omit<Subscription, "name">): string {
  return `${source} to ${sink}${isHeld ? ", held" : ""}`;
}

export function textOf(values: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}
