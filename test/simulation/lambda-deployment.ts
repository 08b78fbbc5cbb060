/** The real SDK as a deployment in this process: its Lambda handler gets a request as an event and returns bytes. */
import type { ExchangeRequest } from "../../shared/engine/ports/endpoints.ts";
import type { Deployment } from "./in-process-endpoints.ts";

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

export type LambdaHandler = (event: unknown, context: unknown) => Promise<LambdaAnswer>;

export function lambdaDeployment(handler: LambdaHandler): Deployment {
  return async ({ method, path, headers, body }: ExchangeRequest) => {
    const event = {
      path,
      httpMethod: method,
      headers,
      body: Buffer.concat(body).toString("base64"),
      isBase64Encoded: true,
    };
    const answer = await handler(event, {});
    return {
      head: { status: answer.statusCode, headers: answer.headers, httpVersion: "h2" },
      body: new Uint8Array(Buffer.from(answer.body, answer.isBase64Encoded ? "base64" : "utf8")),
    };
  };
}
