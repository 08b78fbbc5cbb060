/** A client of the admin API in a function of the same account; it signs each request with the credentials of its role. */
import { requestSigner } from "../signing/request-signer.ts";

export interface AdminAnswer {
  readonly status: number;
  /** Empty if the answer is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type AskAdmin = (method: "POST" | "PATCH" | "DELETE", path: string, body?: object) => Promise<AdminAnswer>;

/** The gateway in front of the API does not wait longer. */
const ANSWER_WITHIN_MS = 30_000;

/** @param adminUrl may have a path, which precedes that of each request */
export function adminClient(adminUrl: string, environment: NodeJS.ProcessEnv): AskAdmin {
  const sign = requestSigner({
    region: environment["AWS_REGION"] ?? "",
    credentials: {
      accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "",
      ...(environment["AWS_SESSION_TOKEN"] !== undefined && { sessionToken: environment["AWS_SESSION_TOKEN"] }),
    },
  });
  return async (method, path, content) => {
    const target = new URL(`${adminUrl.replace(/\/$/, "")}${path}`);
    const body = content === undefined ? "" : JSON.stringify(content);
    const type = body === "" ? {} : { "content-type": "application/json" };
    const headers = await sign({ method, url: target, headers: type, body });
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const asked = fetch(target, { method, headers, redirect: "error", signal, ...(body !== "" && { body }) });
    const response = await asked.catch((error: Error & { cause?: Error }) => {
      throw new Error(`the admin API at ${target.origin} does not answer: ${(error.cause ?? error).message}`);
    });
    return { status: response.status, body: objectIn(await response.text()) };
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
