/** Registers a deployment and, if asked, checks it each second, because a restart during development may change its handlers. */
import type { Engine } from "../../shared/engine/engine.ts";
import type { Log } from "../../shared/engine/ports/log.ts";
import { ServedElsewhere } from "../../shared/engine/register/register.ts";
import {
  loggedAddress,
  registeredUnder,
  type RegisteredUp,
  registerWhenUp,
  type WantedDeployment,
} from "../../shared/engine/register/register-when-up.ts";

/** Each check is one request for the manifest. */
const LOOK_EVERY_MS = 1_000;

const EVENTS = { unchanged: "deployment.unchanged", replaced: "deployment.replaced" } as const;

export type WatchedDeployment = Pick<WantedDeployment, "uri" | "useHttp11" | "leavesOthers">;

/** The log event for a deployment that an operator has removed. */
const ON_REMOVAL = { "until-changed": "registration.held-back", "until-registered": "registration.ended" } as const;

export interface Watching {
  /** Whether to check again after the registration. */
  readonly again: boolean;
  /**
   * Decides which event registers the deployment again after an operator has removed it: a change of its handlers, or only a
   * registration by an operator.
   */
  readonly staysRemoved: keyof typeof ON_REMOVAL;
  readonly log: Log;
  /** Called after each check that finds the deployment registered. */
  readonly onRegistered?: (deployment: RegisteredUp["deployment"]) => void;
}

/** A failed registration is logged once per reason and stops neither the other registrations nor the process. */
export async function watchDeployment(
  engine: Engine,
  wanted: WatchedDeployment,
  watching: Watching,
  signal: AbortSignal,
): Promise<void> {
  const { again, log } = watching;
  const watched = new Watched(engine, wanted, watching);
  let loggedReason: string | undefined;
  while (!signal.aborted) {
    try {
      await watched.check(signal);
      loggedReason = undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== loggedReason) tellFailure(log, wanted, error, reason);
      loggedReason = reason;
    }
    if (!again) return;
    await engine.clock.sleep(LOOK_EVERY_MS, signal);
  }
}

function tellFailure(log: Log, wanted: WatchedDeployment, error: unknown, reason: string): void {
  const uri = loggedAddress(wanted);
  if (!(error instanceof ServedElsewhere)) return log.write("registration.failed", { uri, error: reason });
  const command = `stepwell deployments register ${wanted.uri}${wanted.useHttp11 ? " --use-http1.1" : ""}`;
  log.write("deployment.left-alone", { command, uri, services: error.services });
}

class Watched {
  readonly #engine: Engine;
  readonly #wanted: WatchedDeployment;
  readonly #uri: string;
  readonly #watching: Watching;
  #registration: RegisteredUp["deployment"] | undefined;
  #isRemoved = false;

  constructor(engine: Engine, wanted: WatchedDeployment, watching: Watching) {
    this.#engine = engine;
    this.#wanted = wanted;
    this.#uri = loggedAddress(wanted);
    this.#watching = watching;
  }

  /** @throws the errors of `registerWhenUp` */
  async check(signal: AbortSignal): Promise<void> {
    await this.#noteRemoval();
    const { staysRemoved } = this.#watching;
    if (
      this.#isRemoved &&
      staysRemoved === "until-registered" &&
      (await registeredUnder(this.#engine, this.#wanted)).length === 0
    )
      return;
    const removed = this.#isRemoved && this.#registration ? { removed: this.#registration } : {};
    const onWaiting = (reason: string): void => {
      // A removed deployment may stay away: nothing waits for it.
      if (!this.#isRemoved) this.#watching.log.write("registration.delayed", { uri: this.#uri, reason });
    };
    const registered = await registerWhenUp(this.#engine, { ...this.#wanted, ...removed }, onWaiting, signal);
    if (registered === undefined || registered.kind === "removed") return;
    const isNews = this.#registration === undefined || this.#isRemoved || registered.kind !== "unchanged";
    if (isNews) this.#tell(registered.kind, registered.deployment);
    this.#registration = registered.deployment;
    this.#isRemoved = false;
    this.#watching.onRegistered?.(registered.deployment);
  }

  /** Notes that an operator has removed the deployment, or has moved it to another address. */
  async #noteRemoval(): Promise<void> {
    const registration = this.#registration;
    if (registration === undefined || this.#isRemoved) return;
    if ((await registeredUnder(this.#engine, this.#wanted)).some(({ id }) => id === registration.id)) return;
    this.#isRemoved = true;
    const { log, staysRemoved } = this.#watching;
    log.write(ON_REMOVAL[staysRemoved], { uri: this.#uri, deploymentId: registration.id });
  }

  #tell(kind: "created" | "unchanged" | "replaced", { id, services }: RegisteredUp["deployment"]): void {
    // The engine has logged a new deployment already.
    if (kind === "created") return;
    const revisions = services.map(({ name, revision }) => `${name}@${revision}`).join(",");
    this.#watching.log.write(EVENTS[kind], { uri: this.#uri, deploymentId: id, services: revisions });
  }
}
