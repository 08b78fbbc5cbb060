/** Finds deployments at the usual ports of this machine, also those that start later. */
import { connect } from "node:net";
import type { Engine } from "../../shared/engine/engine.ts";
import type { Log } from "../../shared/engine/ports/log.ts";
import { lookAt } from "../../shared/engine/register/look-at.ts";
import type { WatchedDeployment } from "./watch-deployment.ts";

/** The default of the SDKs, and ports that web frameworks use. */
export const USUAL_PORTS: readonly number[] = [9080, 3000, 8000];

/** A look at a port without a server costs a refused connection. */
const LOOK_EVERY_MS = 2_000;
/** A server that is no deployment may log each request, so the time between two looks doubles up to this limit. */
const LOOK_EVERY_MAX_MS = 32_000;
const CONNECT_MAX_MS = 1_000;
const NOTHING = { kind: "nothing" } as const;
/** The same host as for `--register <port>`: a deployment that is found and later registered by hand then has one id. */
const HOST = "localhost";
const LOOPBACK = new Set(["127.0.0.1", "[::1]", HOST]);

export interface Finding {
  readonly ports: readonly number[];
  /** Called once for each port at which a deployment answers. */
  readonly onFound: (deployment: WatchedDeployment) => void;
  readonly log: Log;
}

/** Looks until every port has a deployment, or the signal aborts; a look that is under way then ends by itself. */
export async function findDeployments(
  engine: Engine,
  { ports, onFound, log }: Finding,
  signal: AbortSignal,
): Promise<void> {
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener("abort", () => resolve(undefined), { once: true }),
  );
  let unseen = ports.length;
  let found = 0;
  const findAt = async (port: number): Promise<void> => {
    let waitMs = LOOK_EVERY_MS;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const looked = await Promise.race([lookAtPort(engine, port), aborted]);
      if (looked === undefined) return;
      if (looked.kind === "deployment") found++;
      if (isFirst && --unseen === 0 && found === 0)
        log.write("deployment.sought", { ports: ports.join(","), everyMs: LOOK_EVERY_MS });
      if (looked.kind === "deployment") {
        log.write("deployment.found", { uri: looked.uri });
        return onFound({ uri: looked.uri, useHttp11: looked.useHttp11 });
      }
      waitMs = looked.kind === "nothing" ? LOOK_EVERY_MS : Math.min(2 * waitMs, LOOK_EVERY_MAX_MS);
      await engine.clock.sleep(waitMs, signal);
    }
  };
  await Promise.all(ports.map(findAt));
}

async function lookAtPort(
  engine: Engine,
  port: number,
): Promise<({ readonly kind: "deployment" } & WatchedDeployment) | { readonly kind: "nothing" | "other" }> {
  try {
    if (!(await isListening(port))) return NOTHING;
    const uri = await addressAt(engine, port);
    const looked = await lookAt(engine, uri);
    return looked.kind === "deployment" ? { ...looked, uri } : looked;
  } catch {
    // The registry could not be read; the next look reads it again.
    return NOTHING;
  }
}

/** Only opens a connection, because most of these ports have no server most of the time. */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST });
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(CONNECT_MAX_MS, () => end(false));
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}

/** The registered address at this port, if there is one, because `localhost` and `127.0.0.1` would be two deployments. */
async function addressAt({ registry }: Engine, port: number): Promise<string> {
  for (const { destination } of await registry.deployments()) {
    if (destination.kind !== "http" || !URL.canParse(destination.uri)) continue;
    const { protocol, hostname, port: ownPort, pathname } = new URL(destination.uri);
    if (protocol === "http:" && LOOPBACK.has(hostname) && ownPort === String(port) && pathname === "/")
      return destination.uri;
  }
  return `http://${HOST}:${port}/`;
}
