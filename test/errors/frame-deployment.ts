/** A hand-written deployment: it answers discovery with a manifest, and each attempt with the bytes that a test gives it. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { COMMANDS } from "../../shared/core/protocol/commands.ts";
import { ErrorMessage, ProposeRunCompletionMessage, CONTROL } from "../../shared/core/protocol/control-messages.ts";
import { encodeFrame, messageFrame } from "../../shared/core/protocol/frame.ts";
import { startPeer, type Peer } from "../harness/https/peer.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";

export const GREETER = { name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }] };

const TEXT = new TextEncoder();
const EMPTY = new Uint8Array(0);

export type Transport = "h2 in the clear" | "http1.1 in the clear";
export type Script = (response: ServerResponse, request: IncomingMessage) => void;

export interface FrameDeployment {
  readonly uri: string;
  /** The headers of the discoveries so far. */
  readonly discoveries: IncomingHttpHeaders[];
  /** The paths of the attempts so far. */
  readonly attempts: string[];
  manifest: object;
  /** Sets the answer to attempts from now on. */
  script: Script;
  /** Breaks every connection and stops listening. */
  stop(): Promise<void>;
  /** Listens again, on the same port. */
  restart(): Promise<void>;
}

export async function startFrameDeployment(
  script: Script = replying(output("hello"), end()),
  transport: Transport = "h2 in the clear",
): Promise<FrameDeployment> {
  const answer: Script = (response, request) => {
    if (request.url?.endsWith("/discover") === true) {
      deployment.discoveries.push(request.headers);
      response.writeHead(200, { "content-type": "application/vnd.restate.endpointmanifest.v4+json" });
      response.end(JSON.stringify(deployment.manifest));
      return;
    }
    deployment.attempts.push(request.url ?? "");
    // Like an SDK, the deployment answers before the request ends: on an open exchange the request ends after the answer.
    request.resume();
    deployment.script(response, request);
  };
  let peer: Peer = await startPeer(transport, (request, response) => answer(response, request));
  const deployment: FrameDeployment = {
    uri: peer.uri,
    discoveries: [],
    attempts: [],
    manifest: manifestOf([GREETER]),
    script,
    stop: () => peer.stop(),
    async restart() {
      peer = await startPeer(transport, (request, response) => answer(response, request), peer.port);
    },
  };
  onTestFinished(() => peer.stop());
  return deployment;
}

/** An answer in the version that the request asks for. */
export function replying(...frames: readonly Uint8Array[]): Script {
  return (response, request) => {
    response.writeHead(200, { "content-type": request.headers["content-type"] ?? "" });
    response.end(Buffer.concat(frames));
  };
}

/** An answer with this status and without a body. */
export function refusing(status: number, headers: Readonly<Record<string, string>> = {}): Script {
  return (response) => {
    response.writeHead(status, headers);
    response.end();
  };
}

export function output(text: string): Uint8Array {
  const { code, type } = COMMANDS.Output;
  return messageFrame(code, type, { value: { content: TEXT.encode(text) } });
}

export function end(): Uint8Array {
  return encodeFrame(CONTROL.End, EMPTY);
}

export function error(code: number, message: string, nextRetryDelayMs?: bigint): Uint8Array {
  const delay = nextRetryDelayMs === undefined ? {} : { nextRetryDelayMs };
  return messageFrame(CONTROL.Error, ErrorMessage, { code, message, ...delay });
}

export function call(
  serviceName: string,
  handlerName: string,
  within: { readonly scope?: string; readonly limitKey?: string } = {},
): Uint8Array {
  const { code, type } = COMMANDS.Call;
  const ids = { invocationIdNotificationIdx: 1, resultCompletionId: 2 };
  return messageFrame(code, type, { serviceName, handlerName, ...within, ...ids });
}

/** A suspension on a tree of futures, each of which has the next one below it. */
export function suspendNested(levels: number): Uint8Array {
  let future = Uint8Array.of(0x08, 0x01);
  const lengthOf = (size: number) => (size < 128 ? [size] : [(size & 127) | 128, size >>> 7]);
  for (let level = 1; level <= levels; level++) future = Uint8Array.of(0x22, ...lengthOf(future.length), ...future);
  return encodeFrame(CONTROL.Suspension, future);
}

/** A completed step: it pins the invocation to its deployment and protocol version. */
export function step(): Uint8Array {
  const { code, type } = COMMANDS.Run;
  const run = messageFrame(code, type, { resultCompletionId: 1, name: "step" });
  const proposal = { resultCompletionId: 1, value: TEXT.encode("1") };
  return Buffer.concat([run, messageFrame(CONTROL.ProposeRunCompletion, ProposeRunCompletionMessage, proposal)]);
}
