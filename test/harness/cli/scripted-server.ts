/** An HTTP server that gives the answers of a test's script, so that commands meet a broken or slow server. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The server waits for this time before it answers; without end if it is Infinity. */
  readonly afterMs?: number;
}

export interface ScriptedServer {
  /** Ends with a slash. */
  readonly url: string;
  /** The environment in which commands use this server as the ingress and as the admin API. */
  readonly env: Readonly<Record<string, string>>;
  /** The requests since the last call of `answer`. */
  readonly requests: readonly ScriptedRequest[];
  /** Sets the answers from now on; without an answer the server breaks the connection. */
  answer(script: (request: ScriptedRequest) => ScriptedAnswer | undefined): void;
  close(): Promise<void>;
}

export async function openScriptedServer(): Promise<ScriptedServer> {
  let script: (request: ScriptedRequest) => ScriptedAnswer | undefined = () => undefined;
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    let body = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    incoming.once("end", () => {
      const request = { method, path: url, headers, body };
      requests.push(request);
      const answer = script(request);
      if (answer === undefined) return void incoming.socket.destroy();
      const { status, afterMs = 0 } = answer;
      const give = (): void =>
        void outgoing.writeHead(status, { "content-type": "application/json", ...answer.headers }).end(answer.body);
      if (afterMs === 0) give();
      else if (afterMs !== Infinity) setTimeout(give, afterMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    env: { STEPWELL_ADMIN_URL: url, STEPWELL_INGRESS_URL: url },
    requests,
    answer(next) {
      script = next;
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
