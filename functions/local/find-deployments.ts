/** Finds deployments at the usual ports of this machine, also those that start later. */
import { connect } from "node:net";
import type { Engine } from "../../shared/engine/engine.ts";
import type { Log } from "../../shared/engine/ports/log.ts";
import { lookAt } from "../../shared/engine/register/probe-deployment.ts";
import { loggedAddress, type RegisteredUp } from "../../shared/engine/register/register-when-up.ts";
import { isLoopbackHost, isOwnHost } from "../door/loopback.ts";
import type { WatchedDeployment } from "./watch-deployment.ts";

type Deployment = RegisteredUp["deployment"];

/** The default of the SDKs, and ports that web frameworks use. */
export const USUAL_PORTS: readonly number[] = [9080, 3000, 8000];

/** A look at a port without a server costs a refused connection. */
const LOOK_EVERY_MS = 2_000;
/** A server that is no deployment may log each request, so the time between two looks doubles up to this limit. */
const LOOK_EVERY_MAX_MS = 32_000;
const CONNECT_MAX_MS = 1_000;
/** The same host as for `--register <port>`: a deployment that is found and later registered by hand then has one id. */
const HOST = "localhost";
/** The host that is used if the system resolves `localhost` to another machine. */
const LOOPBACK = "127.0.0.1";

export interface Finding {
  readonly ports: readonly number[];
  /** Called once for each port at which a deployment answers. */
  readonly onFound: (deployment: WatchedDeployment) => void;
  readonly log: Log;
}

/** Looks until every port has a deployment, or the signal aborts; a look that is under way then ends by itself. */
export async function findDeployments(engine: Engine, finding: Finding, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener("abort", () => resolve(undefined), { once: true }),
  );
  const host = (await isLoopbackHost(HOST)) ? HOST : LOOPBACK;
  const { ports, onFound, log } = finding;
  let unseen = ports.length;
  let found = 0;
  const findAt = async (port: number): Promise<void> => {
    const at = new PortLook(engine, host, port, log);
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const looked = await Promise.race([at.look(), aborted]);
      if (looked === undefined) return;
      if (looked.kind === "deployment" || looked.kind === "refused") found++;
      if (isFirst && --unseen === 0 && found === 0)
        log.write("deployment.sought", { ports: ports.join(","), everyMs: LOOK_EVERY_MS });
      if (looked.kind === "deployment") {
        log.write("deployment.found", { uri: loggedAddress(looked) });
        return onFound({ uri: looked.uri, useHttp11: looked.useHttp11 });
      }
      await engine.clock.sleep(at.waitMs, signal);
    }
  };
  await Promise.all(ports.map(findAt));
}

type PortLooked =
  | ({ readonly kind: "deployment" } & WatchedDeployment)
  | { readonly kind: "nothing" | "other" | "refused" | "removed" };

/** The looks at one port. */
class PortLook {
  readonly #engine: Engine;
  readonly #host: string;
  readonly #port: number;
  readonly #log: Log;
  /** The time until the next look. */
  waitMs = LOOK_EVERY_MS;
  /** A registration at this port that this process did not make. */
  #registered: Deployment | undefined;
  #isRemoved = false;
  #loggedReason: string | undefined;

  constructor(engine: Engine, host: string, port: number, log: Log) {
    this.#engine = engine;
    this.#host = host;
    this.#port = port;
    this.#log = log;
  }

  async look(): Promise<PortLooked> {
    const looked = await this.#looked();
    this.waitMs = looked.kind === "other" ? Math.min(2 * this.waitMs, LOOK_EVERY_MAX_MS) : LOOK_EVERY_MS;
    return looked;
  }

  async #looked(): Promise<PortLooked> {
    try {
      const registered = await this.#noteRegistration();
      if (this.#isRemoved) return { kind: "removed" };
      if (!(await isListening(this.#host, this.#port))) return { kind: "nothing" };
      const uri = uriOf(registered) ?? `http://${this.#host}:${this.#port}/`;
      const looked = await lookAt(this.#engine, uri, registered?.additionalHeaders ?? {});
      if (looked.kind === "refused") this.#logRefusal(uri, looked.reason);
      return looked.kind === "deployment" ? { ...looked, uri } : { kind: looked.kind };
    } catch {
      // The registry could not be read; the next look reads it again.
      return { kind: "nothing" };
    }
  }

  /** A deployment that an operator has registered and then removed stays removed until an operator registers it. */
  async #noteRegistration(): Promise<Deployment | undefined> {
    const former = this.#registered;
    const registered = await registeredAt(this.#engine, this.#port);
    if (registered !== undefined) this.#isRemoved = false;
    else if (former !== undefined) {
      this.#isRemoved = true;
      const uri = loggedAddress({ uri: uriOf(former)! });
      this.#log.write("registration.ended", { uri, deploymentId: former.id });
    }
    this.#registered = registered;
    return registered;
  }

  #logRefusal(uri: string, reason: string): void {
    if (reason !== this.#loggedReason)
      this.#log.write("deployment.refused", { uri: loggedAddress({ uri }), error: reason });
    this.#loggedReason = reason;
  }
}

/** Only opens a connection, because most of these ports have no server most of the time. */
function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(CONNECT_MAX_MS, () => end(false));
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}

/**
 * The registration at this port, under any name of this machine: a registration under a second name would be a second
 * deployment.
 */
async function registeredAt({ registry }: Engine, port: number): Promise<Deployment | undefined> {
  for (const deployment of await registry.deployments()) {
    const uri = uriOf(deployment);
    if (uri === undefined || !URL.canParse(uri)) continue;
    const { protocol, hostname, port: ownPort, pathname } = new URL(uri);
    const isAtPort = protocol === "http:" && ownPort === String(port) && pathname === "/";
    if (isAtPort && (await isOwnHost(hostname))) return deployment;
  }
  return undefined;
}

function uriOf(deployment: Deployment | undefined): string | undefined {
  return deployment?.destination.kind === "http" ? deployment.destination.uri : undefined;
}
