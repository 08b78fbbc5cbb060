/** Many calls at a time, over HTTP/2 connections to the ingress, each with as many requests as the ingress allows. */
import { once } from "node:events";
import { connect, type ClientHttp2Session } from "node:http2";

/** The limit of streams that the ingress announces for one connection. */
const STREAMS_OF_ONE = 200;

export interface Called {
  readonly status: number;
  readonly text: string;
}

export class ManyCalls {
  readonly #sessions: ClientHttp2Session[] = [];

  /** @param atOnce the number of requests that may be open at a time */
  static async to(uri: string, atOnce: number): Promise<ManyCalls> {
    const calls = new ManyCalls();
    for (let at = 0; at < atOnce; at += STREAMS_OF_ONE) {
      const session = connect(uri);
      session.on("error", () => undefined);
      calls.#sessions.push(session);
    }
    await Promise.all(calls.#sessions.map((session) => once(session, "remoteSettings")));
    return calls;
  }

  /** @param at the number of the request, which decides its connection */
  post(at: number, path: string, body: string): Promise<Called> {
    const session = this.#sessions[Math.floor(at / STREAMS_OF_ONE) % this.#sessions.length]!;
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
    stream.end(body);
    return new Promise((resolve) => {
      let status = 0;
      let text = "";
      stream.setEncoding("utf8");
      stream.on("response", (headers) => (status = Number(headers[":status"])));
      stream.on("data", (part: string) => (text += part));
      stream.on("error", () => undefined);
      stream.once("close", () => resolve({ status, text }));
    });
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }
}
