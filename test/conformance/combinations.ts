/** Protocol versions, carriers and the openness of attempts in combination, each with its own deployment and control plane. */
import { afterAll, beforeAll, describe } from "vitest";
import { startControlPlane, type ControlPlane, type Openness } from "./control-plane.ts";
import { startDeployment, type Carrier, type Deployment } from "./deployment.ts";
import type { ProtocolVersion } from "./offered-version.ts";
import { fetch as fetchAdmin } from "../harness/local/admin-access.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly invocationId: string;
}

/** Attempts over HTTP/1.1 never stay open. On an attempt that stays open, the version decides how a run is acknowledged. */
const COMBINATIONS: readonly (readonly [ProtocolVersion, Carrier, Openness])[] = [
  [5, "http1.1", "closed"],
  [6, "h2c", "closed"],
  [7, "http1.1", "closed"],
  [5, "h2c", "open"],
  [7, "h2c", "open"],
  [7, "h2c", "half-closing"],
];

export interface Combination {
  readonly version: ProtocolVersion;
  /**
   * True if attempts may stay open. Even then, the first attempt of an invocation does not stay open if the handler is known to
   * await nothing.
   */
  readonly staysOpen: boolean;
  /**
   * @returns a function that tells whether a number of attempts is right for a handler that needs `count` attempts if none stays
   *   open
   */
  isRight(count: number): (attempts: number) => boolean;
  /**
   * Sends a text as JSON, and bytes as bytes, each with its content type.
   * @param path the path at the ingress, with a slash at its beginning
   */
  post(
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Waits for the result of an invocation that was sent. */
  attach(invocationId: string): Promise<Answer>;
  /** What the admin API shows of an invocation. */
  show(invocationId: string): Promise<unknown>;
}

export function inEachCombination(tests: (combination: Combination) => void): void {
  for (const [version, carrier, openness] of COMBINATIONS) {
    describe(`V${version} over ${carrier}, ${openness}`, () => {
      let deployment: Deployment | undefined;
      let controlPlane: ControlPlane | undefined;
      beforeAll(async () => {
        deployment = await startDeployment(carrier, version);
        controlPlane = await startControlPlane(openness);
        await controlPlane.register(deployment);
      });
      afterAll(async () => {
        await controlPlane?.stop();
        await deployment?.stop();
      });
      tests(combinationOf(version, openness !== "closed", () => controlPlane!));
    });
  }
}

function combinationOf(version: ProtocolVersion, staysOpen: boolean, plane: () => ControlPlane): Combination {
  const ingressUri = (): string => plane().ingressUri;
  return {
    version,
    staysOpen,
    isRight: (count) => (attempts) => (staysOpen ? attempts >= 1 && attempts <= count : attempts === count),
    async post(path, body, headers = {}) {
      const contentType = typeof body === "string" ? "application/json" : "application/octet-stream";
      const typed = body === undefined ? headers : { "content-type": contentType, ...headers };
      return answerOf(await fetch(ingressUri() + path, { method: "POST", headers: typed, body: body ?? null }));
    },
    async get(path) {
      return answerOf(await fetch(ingressUri() + path));
    },
    async attach(invocationId) {
      return answerOf(await fetch(`${ingressUri()}/restate/invocation/${invocationId}/attach`));
    },
    async show(invocationId) {
      return await (await fetchAdmin(`${plane().adminUri}/invocations/${invocationId}`)).json();
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const body = new Uint8Array(await response.arrayBuffer());
  return { status, headers, body, invocationId: headers.get("x-restate-id") ?? "" };
}

export function textOf({ body }: Answer): string {
  return new TextDecoder().decode(body);
}
