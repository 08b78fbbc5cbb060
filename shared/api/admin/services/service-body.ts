/** Formats services and handlers for the admin API. */
import type { Notice } from "../../../core/errors/coded-error.ts";
import type { Deployment, ServiceRevision } from "../../../core/model/deployment.ts";
import type { EffectiveSettings, Handler, InputRule, OutputRule } from "../../../core/model/service.ts";
import { effectiveSettings, settingsNotices, type SettingsMaxima } from "../../../core/registry/effective-settings.ts";
import type { EngineSettings } from "../../../engine/ports/engine-settings.ts";
import type { HandlerBody, NoticeBody, RetryPolicyBody, ServiceBody } from "../../contract/services.ts";
import { present, written } from "../requests/json-members.ts";
import { durationText } from "../../../core/model/duration.ts";

const SERVICE_TYPES = { service: "Service", object: "VirtualObject", workflow: "Workflow" } as const;
const HANDLER_TYPES = {
  service: undefined,
  exclusive: "Exclusive",
  shared: "Shared",
  workflow: "Workflow",
} as const;
const ON_MAX_ATTEMPTS = { pause: "Pause", kill: "Kill" } as const;

export function serviceBody(service: ServiceRevision, deployment: Deployment, server: EngineSettings): ServiceBody {
  const maxima = maximaOf(server);
  const settings = effectiveSettings(service, undefined, server.defaults, maxima);
  const run = service.handlers.find(({ type }) => type === "workflow");
  // A capped default gets a notice too, as a capped setting of the service does.
  const asked = { journalRetentionMs: server.defaults.journalRetentionMs, ...service.settings };
  const workflow = effectiveSettings(service, run, server.defaults, maxima);
  return {
    name: service.name,
    ty: SERVICE_TYPES[service.type],
    handlers: service.handlers.map((handler) => handlerBody(service, handler, deployment, server)),
    ...present({ documentation: service.documentation, metadata: service.metadata }),
    deployment_id: deployment.id,
    revision: service.revision,
    public: settings.public,
    idempotency_retention: durationText(settings.idempotencyRetentionMs),
    ...(service.type === "workflow"
      ? { workflow_completion_retention: durationText(workflow.workflowRetentionMs) }
      : {}),
    journal_retention: durationText(settings.journalRetentionMs),
    // In request-response mode this server never asks a deployment to suspend.
    inactivity_timeout:
      deployment.protocolMode === "request-response" ? "0s" : durationText(settings.inactivityTimeoutMs),
    abort_timeout: durationText(settings.abortTimeoutMs),
    start_within: durationText(settings.startWithinMs ?? 0),
    end_within: durationText(settings.endWithinMs ?? 0),
    enable_lazy_state: settings.lazyState,
    retry_policy: wholePolicy(settings),
    ...noticesBody(settingsNotices(asked, deployment.protocolMode, maxima)),
  };
}

/** The handler's own settings only, except for `public`, which is resolved. */
export function handlerBody(
  service: ServiceRevision,
  handler: Handler,
  deployment: Deployment,
  server: EngineSettings,
): HandlerBody {
  const own = handler.settings;
  const maxima = maximaOf(server);
  return {
    name: handler.name,
    ...present({
      ty: HANDLER_TYPES[handler.type],
      documentation: handler.documentation,
      metadata: handler.metadata,
      idempotency_retention: written(own.idempotencyRetentionMs, durationText),
      workflow_completion_retention: written(own.workflowRetentionMs, durationText),
      journal_retention: written(own.journalRetentionMs, durationText),
      inactivity_timeout: written(own.inactivityTimeoutMs, durationText),
      abort_timeout: written(own.abortTimeoutMs, durationText),
      start_within: written(own.startWithinMs, durationText),
      end_within: written(own.endWithinMs, durationText),
      enable_lazy_state: own.lazyState,
    }),
    public: effectiveSettings(service, handler, server.defaults, maxima).public,
    input_description: inputDescription(handler.input),
    ...present({ input_content_type: inputContentType(handler.input) }),
    output_description: outputDescription(handler.output),
    ...present({ input_json_schema: handler.input?.jsonSchema, output_json_schema: handler.output?.jsonSchema }),
    retry_policy: {
      ...present({
        initial_interval: written(own.retryInitialIntervalMs, durationText),
        exponentiation_factor: own.retryFactor,
        max_interval: written(own.retryMaxIntervalMs, durationText),
        on_max_attempts: written(own.retryOnMaxAttempts, (choice) => ON_MAX_ATTEMPTS[choice]),
      }),
      max_attempts: own.retryMaxAttempts ?? null,
    },
    ...noticesBody(settingsNotices(own, deployment.protocolMode, maxima)),
  };
}

function maximaOf(server: EngineSettings): SettingsMaxima {
  return present({ journalRetentionMaxMs: server.journalRetentionMaxMs });
}

function wholePolicy({ retry }: EffectiveSettings): RetryPolicyBody {
  return {
    initial_interval: durationText(retry.initialIntervalMs),
    exponentiation_factor: retry.factor,
    max_attempts: retry.maxAttempts ?? null,
    max_interval: durationText(retry.maxIntervalMs),
    on_max_attempts: ON_MAX_ATTEMPTS[retry.onMaxAttempts],
  };
}

function inputDescription(rule: InputRule | undefined): string {
  if (rule === undefined) return "*/*";
  return schemaDescription(rule.jsonSchema) ?? rule.contentType ?? "none";
}

/** A rule is absent for a handler that takes anything; a rule without a type takes no body. */
function inputContentType(rule: InputRule | undefined): string | undefined {
  return rule === undefined ? "*/*" : rule.contentType;
}

function outputDescription(rule: OutputRule | undefined): string {
  if (rule === undefined) return "application/json";
  return schemaDescription(rule.jsonSchema) ?? rule.contentType ?? "none";
}

function schemaDescription(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  if ("title" in schema && typeof schema.title === "string") return `JSON '${schema.title}'`;
  return "type" in schema && typeof schema.type === "string" ? `JSON ${schema.type}` : undefined;
}

function noticesBody(notices: readonly Notice[]): { readonly info?: readonly NoticeBody[] } {
  return notices.length === 0 ? {} : { info: notices };
}
