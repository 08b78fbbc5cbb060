/** A client of the admin API for Lambda functions; it signs each request with the credentials of the function's role. */
import { signedClient } from "../signing/signed-client.ts";

export interface AdminAnswer {
  readonly status: number;
  /** Empty if the answer is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type AskAdmin = (
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: object,
) => Promise<AdminAnswer>;

/** The gateway in front of the API does not wait longer. */
const ANSWER_WITHIN_MS = 30_000;

/** @param adminUrl the address of the API; if it has a path, that path precedes the path of each request */
export function adminClient(adminUrl: string, environment: NodeJS.ProcessEnv): AskAdmin {
  const { origin, pathname } = new URL(adminUrl);
  const credentials = {
    accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "",
    ...(environment["AWS_SESSION_TOKEN"] !== undefined && { sessionToken: environment["AWS_SESSION_TOKEN"] }),
  };
  const send = signedClient({ origin }, { region: environment["AWS_REGION"] ?? "", credentials });
  return async (method, path, content) => {
    const body = content === undefined ? "" : JSON.stringify(content);
    const headers: Record<string, string> = body === "" ? {} : { "content-type": "application/json" };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const asked = send({ method, path: `${pathname.replace(/\/$/, "")}${path}`, headers, body, signal });
    const { status, text } = await asked.catch((error: Error & { cause?: Error }) => {
      throw new Error(`the admin API at ${origin} does not answer: ${(error.cause ?? error).message}`);
    });
    if (status >= 300 && status < 400)
      throw new Error(`the admin API at ${origin} does not answer: it redirects with status ${status}`);
    return { status, body: objectIn(text) };
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
