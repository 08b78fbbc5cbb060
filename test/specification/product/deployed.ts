/** The machines of the deployments: each address answers discovery with its newest code, and runs any handler. */
import type { Deployment, WholeReply } from "../../simulation/in-process-endpoints.ts";
import { answerOf, type Handler } from "../../harness/engine/script-context.ts";
import { readJournal } from "../../harness/engine/script-journal.ts";
import type { Code } from "../model/catalogue.ts";
import type { Kind } from "../model/words.ts";

const TYPES = { service: "SERVICE", object: "VIRTUAL_OBJECT", workflow: "WORKFLOW" } as const;
const KINDS: Readonly<Record<Kind, string | undefined>> = {
  service: undefined,
  exclusive: "EXCLUSIVE",
  shared: "SHARED",
  workflow: "WORKFLOW",
};
const MANIFEST = "application/vnd.restate.endpointmanifest.v3+json";

export class Machines {
  readonly #codes = new Map<string, Code | undefined>();
  readonly #handlerAt: (uri: string) => Handler;

  constructor(handlerAt: (uri: string) => Handler) {
    this.#handlerAt = handlerAt;
  }

  /** Puts code onto the machine of an address. @param code if undefined, the machine refuses the discovery */
  deploy(uri: string, code: Code | undefined): void {
    this.#codes.set(uri, code);
  }

  get deployment(): Deployment {
    return async (request): Promise<WholeReply> => {
      const { destination, path } = request;
      const uri = "uri" in destination ? destination.uri : "";
      if (path.endsWith("/discover")) {
        const code = this.#codes.get(uri);
        return code === undefined
          ? reply(503, "text/plain", "nothing runs here")
          : reply(200, MANIFEST, JSON.stringify(manifestOf(code)));
      }
      const body = await answerOf(this.#handlerAt(uri), readJournal(request));
      return {
        head: { status: 200, headers: { "content-type": request.headers["content-type"] ?? "" }, httpVersion: "h2" },
        body,
      };
    };
  }
}

function manifestOf(code: Code) {
  return {
    protocolMode: "REQUEST_RESPONSE",
    minProtocolVersion: 5,
    maxProtocolVersion: 7,
    services: Object.entries(code).map(([name, { type, handlers, idempotencyMs, journalMs, workflowMs }]) => ({
      name,
      ty: TYPES[type],
      idempotencyRetention: idempotencyMs,
      journalRetention: journalMs,
      handlers: Object.entries(handlers).map(([handler, kind]) => ({
        name: handler,
        ...(KINDS[kind] !== undefined && { ty: KINDS[kind] }),
        ...(kind === "workflow" && { workflowCompletionRetention: workflowMs }),
      })),
    })),
  };
}

function reply(status: number, type: string, text: string): WholeReply {
  return {
    head: { status, headers: { "content-type": type }, httpVersion: "h2" },
    body: new TextEncoder().encode(text),
  };
}
