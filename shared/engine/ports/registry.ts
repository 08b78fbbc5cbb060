/** The port of the registry: routes to handlers, and the deployments behind them. */
import type { OpenCircuit } from "../../core/model/circuit.ts";
import type { Deployment, Route, ServiceRevision } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { RuleBook } from "../../core/limits/rule-book.ts";

/** How long memory may answer without a read of the registry's version, in milliseconds. */
export const REGISTRY_FRESH_MS = 1_000;

/** `slow`: the handler has a slow note. */
export interface FoundRoute {
  readonly found: true;
  readonly route: Route;
  readonly slow?: true;
}

export type Routing = FoundRoute | { readonly found: false; readonly missing: "service" | "handler" };

/**
 * The registry is a handful of small items, held in memory with a short lifetime. A lookup reads the table again before it
 * answers that a service, handler or deployment is unknown.
 */
export interface Registry {
  /** The latest revision of the service, on the deployment that owns it. */
  route(service: string, handler: string): Promise<Routing>;
  /**
   * The route from memory, without waiting. The answer is undefined if the memory is stale or lacks the route; the table may
   * still have the route.
   */
  known(service: string, handler: string): Routing | undefined;
  /** The same handler on the deployment that an invocation is pinned to; undefined if the deployment is gone (RT0011). */
  routeOn(deploymentId: DeploymentId, service: string, handler: string): Promise<Route | undefined>;
  /** The latest revision of each service, ordered by name. */
  services(): Promise<readonly { readonly service: ServiceRevision; readonly deployment: Deployment }[]>;
  deployments(): Promise<readonly Deployment[]>;
  /** Writes a slow note for the handler: a driver with little time cut an attempt of it. Never fails. */
  noteSlow(service: string, handler: string): Promise<void>;
  /** Notes that an attempt of the handler stayed open for long, in any driver. Never fails. */
  noteLong(service: string, handler: string): Promise<void>;
  /** Whether a handler of the service has a slow note or a long note, according to the memory, which may be out of date. */
  isSlow(service: string): boolean;
  /** The deployment of the service's latest revision, according to the memory, which may be out of date. */
  ownerOf(service: string): DeploymentId | undefined;
  /** Open circuits by name, according to the memory; a lookup of a route refreshes a memory that is older than a second. */
  circuits(): ReadonlyMap<string, OpenCircuit>;
  /**
   * Opens a circuit, advances it, or closes it.
   * @param circuit undefined closes it
   * @param before the circuit as `circuits` showed it; undefined if none was open
   * @returns false if another process has opened or advanced it since
   */
  setCircuit(circuit: OpenCircuit | undefined, before: OpenCircuit | undefined): Promise<boolean>;
  /** The rules as they were at most a second ago. @returns a promise only if memory is older */
  rules(): RuleBook | Promise<RuleBook>;
  /** The rules according to the memory, which may be out of date. */
  rulesKnown(): RuleBook;
  /** The rules as a read has them that begins now. */
  rulesNow(): Promise<RuleBook>;
  /** Drops the memory: the next lookup reads the table. */
  refresh(): void;
}
