/** A local process for tests of what operators see: short times, a recorded log, and the requests of an operator. */
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { startLocalProcess, type LocalProcess } from "../../functions/local/local-process.ts";
import type { AdminErrorBody } from "../../shared/api/contract/server.ts";
import type { AttemptFailureBody, InvocationBody } from "../../shared/api/contract/invocations.ts";
import { readSettings } from "../../shared/config/settings.ts";
import type { SettingPath } from "../../shared/config/settings-table.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { RecordingLog } from "../recording-log.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { fetch, knowAdmin } from "../harness/local/admin-access.ts";

const POLL_EVERY_MS = 10;

const SHORT: Partial<Record<SettingPath, string>> = {
  "ingress.port": "0",
  "admin.port": "0",
  "shutdown-timeout": "50ms",
  "default-retry-policy.initial-interval": "20ms",
  "default-retry-policy.max-interval": "40ms",
  "default-retry-policy.max-attempts": "unlimited",
};

export interface Answer {
  readonly status: number;
  readonly body: Partial<AdminErrorBody> & Record<string, unknown>;
}

export class ErrorStage {
  readonly local: LocalProcess;
  readonly log: RecordingLog;

  constructor(local: LocalProcess, log: RecordingLog) {
    this.local = local;
    this.log = log;
  }

  async register(uri: string, more: Record<string, unknown> = {}, path = "deployments"): Promise<Answer> {
    const response = await fetch(`${this.local.adminUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri, ...more }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  }

  /** Any request to the admin API. An empty answer has an empty body. */
  async admin(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.local.adminUrl}${path}`, {
      method,
      headers: { ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text.startsWith("{") ? JSON.parse(text) : {}) as Answer["body"] };
  }

  /** @returns the id of the invocation */
  async send(target: string): Promise<string> {
    const response = await fetch(`${this.local.ingressUrl}${target}/send`, { method: "POST" });
    if (response.status !== 202) throw new Error(`${target} was answered with ${response.status}`);
    return ((await response.json()) as { invocationId: string }).invocationId;
  }

  async show(id: string): Promise<InvocationBody> {
    const response = await fetch(`${this.local.adminUrl}invocations/${id}`);
    if (response.status !== 200) throw new Error(`${id} was answered with ${response.status}`);
    return (await response.json()) as InvocationBody;
  }

  /** Waits until `find` returns a value. */
  async shows<T>(id: string, find: (body: InvocationBody) => T | undefined): Promise<T> {
    for (const untilMs = Date.now() + SEEN_WITHIN_MS; ; await pause(POLL_EVERY_MS)) {
      const body = await this.show(id);
      const found = find(body);
      if (found !== undefined) return found;
      if (Date.now() > untilMs) throw new Error(`not seen; last seen: ${JSON.stringify(body)}`);
    }
  }

  /** The last failure, once it has this code. */
  lastFailure(id: string, code: string): Promise<AttemptFailureBody> {
    const find = ({ last_failure: failure }: InvocationBody) => (failure?.error_code === code ? failure : undefined);
    return this.shows(id, find);
  }

  /** Whole seconds from the failed attempt to the next one, once that is planned. */
  delayS(id: string): Promise<number> {
    return this.shows(id, ({ next_retry_at: next, last_failure: failure }) =>
      next === undefined || failure === undefined
        ? undefined
        : Math.floor((Date.parse(next) - Date.parse(failure.at)) / 1000),
    );
  }

  /**
   * Waits for the result of an invocation.
   * @returns the status and the body
   */
  async result(id: string): Promise<string> {
    const response = await fetch(`${this.local.ingressUrl}restate/invocation/${id}/attach`);
    return `${response.status} ${await response.text()}`;
  }

  /** The log lines about failed attempts of an invocation. */
  logged(id: string): readonly { readonly errorCode: unknown; readonly reason: unknown }[] {
    return this.log.lines
      .filter(({ event, fields }) => event === "attempt.failed" && fields["invocationId"] === id)
      .map(({ fields }) => ({ errorCode: fields["errorCode"], reason: fields["reason"] }));
  }
}

/** Starts a local process, which is stopped at the end of the test; its directory is then deleted. */
export async function openStage(settings: Partial<Record<SettingPath, string>> = {}): Promise<ErrorStage> {
  const dir = await temporaryDirectory();
  // Registered first, so that it runs last, even if the start fails.
  onTestFinished(() => removeDirectory(dir));
  const read = readSettings({ environment: {}, flags: { ...SHORT, "data-dir": dir, ...settings } });
  const log = new RecordingLog();
  const local = await startLocalProcess(read.settings, "1.2.3", log);
  onTestFinished(() => local.stop());
  knowAdmin(local.adminUrl, local.adminToken);
  return new ErrorStage(local, log);
}
