/** The answer of admission to work that asks: go, wait or leave; and the ports that admission needs of an engine. */
import type { Log, Meter } from "../ports/log.ts";
import type { Registry } from "../ports/registry.ts";
import type { WaitView } from "../ports/submission.ts";
import type { StorePorts } from "../store/store-ports.ts";

export type Admission = Go | Wait | Leave;

/** The work may go on now. */
export interface Go {
  readonly kind: "go";
  /** The attempt of this work probes an open circuit, so its driver asks no second time. */
  readonly isProbe?: true;
}

/** The work asks again at `untilMs`. It holds nothing meanwhile: no lease, no journal in memory, no slot. */
export interface Wait {
  readonly kind: "wait";
  readonly untilMs: number;
  /** The invocation shows this reason among what it waits for. */
  readonly why: Pick<WaitView, "kind" | "sinceMs" | "deploymentId" | "name">;
}

/**
 * Another driver does the work. `slow-handler`, `slow-lane`: a worker with more time, or one of the slow lane. `stopping`: another
 * process. `no-room`: a driver that has loaded the journal again, within the room of journals.
 */
export interface Leave {
  readonly kind: "leave";
  readonly why: "slow-handler" | "slow-lane" | "stopping" | "no-room";
}

export const GO: Go = { kind: "go" };

/** `Engine` contains all of these ports, so that a caller passes its engine. */
export interface AdmissionPorts extends StorePorts {
  readonly registry: Registry;
  readonly log: Log;
  readonly meter: Meter;
}
