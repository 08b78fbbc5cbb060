/** The admin API over a real engine with embedded stores in a new directory. Tests may supply the use cases of invocations. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminApp } from "../../../shared/api/admin/admin-app.ts";
import type { AdminDeps } from "../../../shared/api/admin/requests/admin-request.ts";
import type { InvocationUseCases } from "../../../shared/api/admin/requests/use-cases.ts";
import type { HttpRequest, HttpResponse } from "../../../shared/api/http/message.ts";
import { readSettings } from "../../../shared/config/settings.ts";
import { ingressApp } from "../../../shared/api/ingress/ingress-app.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { answerPacking } from "../../../shared/wiring/answer-packing.ts";
import { openEmbedded } from "../../../shared/wiring/embedded.ts";
import { builtInUi } from "../../../shared/wiring/built-in-ui.ts";
import { silentLog } from "../../recording-log.ts";

export interface AdminAnswer {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly text: string;
  // Each test itself checks the shape of the body.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export interface AdminPlane {
  readonly engine: Engine;
  readonly deps: AdminDeps;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<AdminAnswer>;
  /** The answer as it is, for bodies that are not text. */
  respond(method: string, path: string, headers: Record<string, string>): Promise<HttpResponse>;
  close(): Promise<void>;
}

export async function openAdminPlane(invocations: Partial<InvocationUseCases> = {}): Promise<AdminPlane> {
  const dir = mkdtempSync(join(tmpdir(), "stepwell-admin-"));
  const { settings } = readSettings({ environment: {}, flags: { "data-dir": dir, "max-journal-retention": "2d" } });
  const embedded = await openEmbedded(settings, silentLog);
  const unknown: InvocationUseCases = {
    inspect: async () => undefined,
    cancel: async () => "unknown",
    kill: async () => "unknown",
    pause: async () => "unknown",
    purge: async () => "unknown",
    purgeJournal: async () => "unknown",
    restart: async () => "unknown",
    resume: async () => "unknown",
  };
  const deps: AdminDeps = {
    version: "9.8.7",
    ingressEndpoint: "http://127.0.0.1:8080/",
    runsOn: "one-process",
    uiFiles: builtInUi(),
    ingress: ingressApp(embedded.engine),
    recentEnds: () => embedded.recentEnds.view(),
    packing: answerPacking(),
    metricsText: embedded.metricsText,
    invocations: { ...unknown, ...invocations },
  };
  const app = adminApp(embedded.engine, deps);
  return {
    engine: embedded.engine,
    deps,
    async ask(method, target, body, headers = {}) {
      const [path = "", query = ""] = target.split("?");
      const sent = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
      const request: HttpRequest = {
        method,
        path,
        query,
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        body: new TextEncoder().encode(sent),
      };
      const response = await app(request);
      const text = new TextDecoder().decode(response.body);
      const isJson = response.headers["content-type"] === "application/json";
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
    },
    respond: (method, path, headers) => app({ method, path, query: "", headers, body: new Uint8Array(0) }),
    async close() {
      await embedded.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
