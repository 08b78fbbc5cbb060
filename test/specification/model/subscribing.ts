/** Operators name clusters, and subscribe handlers to the topics of a cluster; each refusal has its status and its code. */
import { type Catalogue, routeOf, type Subscription } from "./catalogue.ts";
import { answered, type State } from "./state.ts";
import type { Answer, Operation } from "./words.ts";

export type Subscribing = Extract<
  Operation,
  { do: "connect" | "disconnect" | "subscribe" | "unsubscribe" | "hold" | "release" }
>;

const SOURCE = /^kafka:\/\/([^/]+)\/([a-zA-Z0-9._-]+)$/;
const SINK = /^service:\/\/([^/]+)\/([^/]+)$/;
const UNKNOWN: Answer = { status: 404 };
const DONE: Answer = { status: 202 };

export function subscribing(state: State, operation: Subscribing): State {
  const { catalogue } = state;
  const { clusters, subscriptions } = catalogue;
  switch (operation.do) {
    case "connect": {
      const { cluster } = operation;
      if (clusters.includes(cluster)) return answered(state, { status: 409 });
      return changed(state, { clusters: [...clusters, cluster] }, { status: 201 });
    }
    case "disconnect":
      return disconnect(state, operation);
    case "subscribe": {
      const { name, source, sink } = operation;
      if (!isValid(catalogue, source, sink)) return answered(state, { status: 400, says: "META0009" });
      const made: Subscription = { name, source, sink, isHeld: false };
      return changed(state, { subscriptions: [...subscriptions, made] }, { status: 201, says: name });
    }
    case "unsubscribe":
    case "hold":
    case "release":
      return subscriptions.some(({ name }) => name === operation.of)
        ? turn(state, operation)
        : answered(state, UNKNOWN);
  }
}

/** By force, the subscriptions stay, and read nothing until a cluster has this name again. */
function disconnect(state: State, { cluster, force }: Extract<Subscribing, { do: "disconnect" }>): State {
  const { clusters, subscriptions } = state.catalogue;
  if (!clusters.includes(cluster)) return answered(state, UNKNOWN);
  const isUsed = subscriptions.some(({ source }) => SOURCE.exec(source)?.[1] === cluster);
  if (isUsed && !force) return answered(state, { status: 409 });
  return changed(state, { clusters: clusters.filter((one) => one !== cluster) }, DONE);
}

function turn(state: State, { do: how, of }: Extract<Subscribing, { do: "unsubscribe" | "hold" | "release" }>): State {
  const { subscriptions } = state.catalogue;
  if (how === "unsubscribe")
    return changed(state, { subscriptions: subscriptions.filter(({ name }) => name !== of) }, DONE);
  const isHeld = how === "hold";
  const turned = subscriptions.map((one) => (one.name === of ? { ...one, isHeld } : one));
  return changed(state, { subscriptions: turned }, { status: 200 });
}

/** A subscription may outlive its cluster and its handler, but begins only with both. */
function isValid(catalogue: Catalogue, source: string, sink: string): boolean {
  const [, cluster] = SOURCE.exec(source) ?? [];
  const [, service, handler] = SINK.exec(sink) ?? [];
  if (cluster === undefined || service === undefined || handler === undefined) return false;
  return catalogue.clusters.includes(cluster) && routeOf(catalogue, { service, handler }) !== undefined;
}

function changed(state: State, change: Partial<Catalogue>, answer: Answer): State {
  return answered({ ...state, catalogue: { ...state.catalogue, ...change } }, answer);
}
