/** Every protocol version over every carrier, each with its own deployment and control plane. */
import { afterAll, beforeAll, describe } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import type { ControlPlane } from "./control-plane.ts";
import { CARRIERS, startDeployment } from "./deployment.ts";
import type { Deployment } from "./deployment.ts";
import { PROTOCOL_VERSIONS } from "./offered-version.ts";
import type { ProtocolVersion } from "./offered-version.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly invocationId: string;
}

export interface Combination {
  readonly version: ProtocolVersion;
  /** @param path begins with a slash; a body of JSON or of bytes is sent with its content type */
  post(
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Waits for the result of an invocation that was sent. */
  attach(invocationId: string): Promise<Answer>;
}

export function inEachCombination(tests: (combination: Combination) => void): void {
  for (const carrier of CARRIERS) {
    for (const version of PROTOCOL_VERSIONS) {
      describe(`V${version} over ${carrier}`, () => {
        let deployment: Deployment | undefined;
        let controlPlane: ControlPlane | undefined;
        beforeAll(async () => {
          deployment = await startDeployment(carrier, version);
          controlPlane = await startControlPlane();
          await controlPlane.register(deployment);
        });
        afterAll(async () => {
          await controlPlane?.stop();
          await deployment?.stop();
        });
        tests(combinationOf(version, () => controlPlane!.ingressUri));
      });
    }
  }
}

function combinationOf(version: ProtocolVersion, ingressUri: () => string): Combination {
  return {
    version,
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
