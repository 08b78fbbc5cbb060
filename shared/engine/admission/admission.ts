/**
 * Decides whether work may go on now, has to wait, or has to leave this driver. Every driver asks here, on AWS and in the local
 * process, and a limit on work belongs here and nowhere else (docs/design.md#admission). A `JournalRoom` and a slot (`DriveSlots`) are
 * asked for where they are taken.
 */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Transition } from "../../core/invocation/transition.ts";
import type { Bulkheads } from "../bulkheads/bulkheads.ts";
import type { Wake } from "../ports/queue.ts";
import { slowFromMs, slowServicesGoTo } from "../ports/store-ownership.ts";
import { type Admission, type AdmissionPorts, GO, type Wait } from "./answer.ts";
import { circuitOfNext, waitOfCircuit, waitOrProbe } from "./circuit.ts";

type Next = Pick<Invocation, "pin" | "acceptance">;

/** Asked before a load. Only a message that names its service can leave so early. */
export function admitMessage(ports: AdmissionPorts, { service }: Pick<Wake, "service">): Admission {
  return service === undefined ? GO : admitToLane(ports, service);
}

/**
 * Asked by a process that accepts an invocation and could drive it without a message.
 * @param isSlow true if the handler has a slow note
 */
export function admitDriver(ports: AdmissionPorts, service: string, isSlow: boolean): Admission {
  if (isSlow && slowServicesGoTo(ports.settings) === "queue") return { kind: "leave", why: "slow-handler" };
  return admitToLane(ports, service);
}

/**
 * Asked before the claim, so that an invocation that has to wait costs one message and no write.
 * @param wake a message that names its service has come through the right lane, because the queue could choose
 * @param step the next step of the invocation
 */
export function admitClaim(
  ports: AdmissionPorts,
  wake: Pick<Wake, "service">,
  invocation: Next,
  { step, segment }: Pick<Transition, "step" | "segment">,
): Admission | Promise<Admission> {
  const lane = wake.service === undefined ? admitToLane(ports, invocation.acceptance.target.service) : GO;
  if (lane.kind === "leave" || segment !== undefined || step.kind !== "attempt") return lane;
  return admitNext(ports, invocation);
}

/** The state of a driver that admission reads before an attempt. */
export interface Attempting {
  readonly invocation: Next;
  readonly isStopping: boolean;
  /** False if the journal has outgrown its room, or arrivals wait for a driver with room. */
  hasRoomToAttempt(bulkheads: Bulkheads): boolean;
  readonly attempt: { takeProbe(): boolean };
}

/** Asked before each attempt. */
export function admitAttempt(ports: AdmissionPorts, driver: Attempting): Admission | Promise<Admission> {
  if (driver.isStopping) return { kind: "leave", why: "stopping" };
  if (!driver.hasRoomToAttempt(ports.bulkheads)) return { kind: "leave", why: "no-room" };
  return driver.attempt.takeProbe() ? GO : admitNext(ports, driver.invocation);
}

/** If an attempt waits for its deployment for this many times `slowFromMs`, it is cut and leaves the worker. */
const LEAVES_AFTER = 5;

/**
 * Asked while an attempt runs. A long attempt in the main lane is cut, so that its invocation goes on in the slow lane. Attempts that
 * began before their service had a slow note may have taken all workers of the main lane. An attempt of a service without a slow
 * note is not cut, because its message would come back to the main lane, and the attempt would never end.
 * @param waitsMs how long this server has waited for the deployment
 */
export function admitLonger(
  { settings, registry }: AdmissionPorts,
  { service, inMainLane }: { readonly service: string; readonly inMainLane: boolean },
  waitsMs: number,
): Admission {
  const isLong = waitsMs >= LEAVES_AFTER * slowFromMs(settings);
  return isLong && inMainLane && registry.isSlow(service) ? { kind: "leave", why: "slow-lane" } : GO;
}

/** The wait of the next attempt, if memory shows one. Takes nothing, and probes nothing. */
export function waitOf(ports: AdmissionPorts, invocation: Next): Wait | undefined {
  const open = circuitOfNext(ports, invocation);
  return open && waitOfCircuit(open);
}

/** Costs nothing while no circuit is open. */
function admitNext(ports: AdmissionPorts, invocation: Next): Admission | Promise<Admission> {
  const open = circuitOfNext(ports, invocation);
  return open === undefined ? GO : waitOrProbe(ports, open);
}

/** A slow service leaves the main lane, also as a call, because a call that is driven along occupies the worker of its caller. */
function admitToLane({ settings, registry }: AdmissionPorts, service: string): Admission {
  const leaves = slowServicesGoTo(settings) === "slow-lane" && registry.isSlow(service);
  return leaves ? { kind: "leave", why: "slow-lane" } : GO;
}
