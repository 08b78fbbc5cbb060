/** A server in place of SQS and SSM: it hands each message to the worker, and serves the given parameters. */
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { Server } from "node:net";
import { text } from "node:stream/consumers";
import type { Listening } from "../harness/local/local-stage.ts";
import { listen } from "../harness/local/local-stage.ts";

/** Resolves with true if the message is acked; otherwise it comes again. */
export type Worker = (message: { readonly messageId: string; readonly body: string }) => Promise<boolean>;

export interface HintsServer extends Listening {
  /** Takes each message from the moment when it is set; messages that are due while it is undefined are lost. */
  worker: Worker | undefined;
}

const AGAIN_AFTER_MS = 500;

interface SentEntry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
}

/** @param parameters the values of SSM parameters, by their names */
export async function startHintsServer(parameters: Readonly<Record<string, string>>): Promise<HintsServer> {
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify(body));
    });
  });
  const listening = await listen(server as Server);
  const hintsServer: HintsServer = {
    ...listening,
    worker: undefined,
    async close() {
      hintsServer.worker = undefined;
      await listening.close();
    },
  };

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const asked = JSON.parse(await text(request)) as { Entries?: SentEntry[]; Name?: string };
    const target = String(request.headers["x-amz-target"]);
    if (target === "AmazonSSM.GetParameter") return parameter(asked.Name ?? "");
    const entries = asked.Entries ?? [];
    if (target === "AmazonSQS.SendMessageBatch") return { status: 200, body: { Successful: entries.map(taken) } };
    // The worker's answer decides about the message, so deletions and extensions need no effect.
    return { status: 200, body: { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] } };
  }

  function parameter(name: string) {
    const value = parameters[name];
    if (value === undefined) return { status: 400, body: { __type: "ParameterNotFound" } };
    return { status: 200, body: { Parameter: { Name: name, Value: value } } };
  }

  function taken({ Id, MessageBody, DelaySeconds = 0 }: SentEntry) {
    const messageId = randomUUID();
    deliver({ messageId, body: MessageBody }, DelaySeconds * 1000);
    return { Id, MessageId: messageId, MD5OfMessageBody: createHash("md5").update(MessageBody).digest("hex") };
  }

  function deliver(message: Parameters<Worker>[0], delayMs: number): void {
    setTimeout(() => {
      const again = (): void => deliver(message, AGAIN_AFTER_MS);
      hintsServer.worker?.(message).then((isDone) => isDone || again(), again);
    }, delayMs).unref();
  }

  return hintsServer;
}
