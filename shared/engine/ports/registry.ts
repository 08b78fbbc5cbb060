/** What the engine asks of the registry: routes to handlers, and the deployments behind them. */
import type { OpenCircuit } from "../../core/model/circuit.ts";
import type { Deployment, Route, ServiceRevision } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";

export type Routing =
  /** `slow`: a call of this handler was cut for time not long ago. */
  | { readonly found: true; readonly route: Route; readonly slow?: true }
  | { readonly found: false; readonly missing: "service" | "handler" };

/**
 * The registry is a handful of small items, held in memory with a short lifetime.
 * Every lookup reads the table again before it answers that something is unknown.
 */
export interface Registry {
  /** The latest revision of the service, on the deployment that owns it. */
  route(service: string, handler: string): Promise<Routing>;
  /** The same without waiting, where memory is fresh and knows it: undefined says nothing of what there is. */
  known(service: string, handler: string): Routing | undefined;
  /** The same handler on the deployment an invocation is pinned to; undefined where that is gone (RT0011). */
  routeOn(deploymentId: DeploymentId, service: string, handler: string): Promise<Route | undefined>;
  /** The latest revision of each service, by name. */
  services(): Promise<readonly { readonly service: ServiceRevision; readonly deployment: Deployment }[]>;
  deployments(): Promise<readonly Deployment[]>;
  /** Remembers that a call of the handler takes longer than a driver with little time has. Never fails. */
  noteSlow(service: string, handler: string): Promise<void>;
  /** Notes that an attempt of the handler stayed open for long, in any driver. Never fails. */
  noteLong(service: string, handler: string): Promise<void>;
  /** Whether a handler of the service has a note as slow or long, in memory, which may be out of date. */
  isSlow(service: string): boolean;
  /** The deployment of the service's newest revision in memory, which may be out of date. */
  ownerOf(service: string): DeploymentId | undefined;
  /** Open circuits, by name, at most a second old at the last read of memory. */
  circuits(): ReadonlyMap<string, OpenCircuit>;
  /**
   * Opens a circuit, advances it, or closes it.
   * @param circuit undefined closes it
   * @param before the circuit as `circuits` showed it; undefined if none was open
   * @returns false if another process has opened or advanced it since
   */
  setCircuit(circuit: OpenCircuit | undefined, before: OpenCircuit | undefined): Promise<boolean>;
  /** Forgets what is held in memory: the next lookup reads the table. */
  refresh(): void;
}
