/** Resolves the settings of a handler: its own, else the service's, else the server's, capped by the server's maxima. */
import { notice, type Notice } from "../errors/coded-error.ts";
import type { EffectiveSettings, Handler, HandlerSettings, Service } from "../model/service.ts";
import type { ServiceRevision } from "../model/deployment.ts";

export interface SettingsMaxima {
  readonly journalRetentionMaxMs?: number;
}

/** @param handler if undefined, the function resolves the settings of the service itself */
export function effectiveSettings(
  service: Service,
  handler: Handler | undefined,
  defaults: EffectiveSettings,
  maxima: SettingsMaxima,
): EffectiveSettings {
  const own = handler?.settings ?? {};
  const above = service.settings;
  const journalRetentionMs = own.journalRetentionMs ?? above.journalRetentionMs ?? defaults.journalRetentionMs;
  const startWithinMs = own.startWithinMs ?? above.startWithinMs ?? 0;
  const endWithinMs = own.endWithinMs ?? above.endWithinMs ?? 0;
  const attempts = own.retryMaxAttempts ?? above.retryMaxAttempts ?? defaults.retry.maxAttempts;
  return {
    abortTimeoutMs: own.abortTimeoutMs ?? above.abortTimeoutMs ?? defaults.abortTimeoutMs,
    inactivityTimeoutMs: own.inactivityTimeoutMs ?? above.inactivityTimeoutMs ?? defaults.inactivityTimeoutMs,
    journalRetentionMs: Math.min(journalRetentionMs, maxima.journalRetentionMaxMs ?? Infinity),
    idempotencyRetentionMs:
      own.idempotencyRetentionMs ?? above.idempotencyRetentionMs ?? defaults.idempotencyRetentionMs,
    workflowRetentionMs: own.workflowRetentionMs ?? above.workflowRetentionMs ?? defaults.workflowRetentionMs,
    lazyState: own.lazyState ?? above.lazyState ?? defaults.lazyState,
    public: !(own.private ?? above.private ?? !defaults.public),
    ...(startWithinMs > 0 && { startWithinMs }),
    ...(endWithinMs > 0 && { endWithinMs }),
    retry: {
      initialIntervalMs: own.retryInitialIntervalMs ?? above.retryInitialIntervalMs ?? defaults.retry.initialIntervalMs,
      maxIntervalMs: own.retryMaxIntervalMs ?? above.retryMaxIntervalMs ?? defaults.retry.maxIntervalMs,
      factor: own.retryFactor ?? above.retryFactor ?? defaults.retry.factor,
      onMaxAttempts: own.retryOnMaxAttempts ?? above.retryOnMaxAttempts ?? defaults.retry.onMaxAttempts,
      // The first attempt counts, so 0 means 1.
      ...(attempts === undefined ? {} : { maxAttempts: Math.max(1, attempts) }),
    },
  };
}

/**
 * Notices about settings of a service or a handler that do not take effect as written.
 * @param settings the settings of the service alone, or of the handler alone
 */
export function settingsNotices(
  settings: HandlerSettings,
  protocolMode: "bidi-stream" | "request-response",
  maxima: SettingsMaxima,
): readonly Notice[] {
  const notices: Notice[] = [];
  if (settings.inactivityTimeoutMs !== undefined && protocolMode === "request-response") {
    notices.push(
      notice(
        "RT0021",
        `inactivity_timeout (${settings.inactivityTimeoutMs} ms) has no effect: the deployment answers in request-response mode.`,
      ),
    );
  }
  const max = maxima.journalRetentionMaxMs;
  if (max !== undefined && settings.journalRetentionMs !== undefined && settings.journalRetentionMs > max) {
    notices.push(
      notice(
        "RT0022",
        `journal_retention (${settings.journalRetentionMs} ms) is cut to the maximum of this server (${max} ms).`,
      ),
    );
  }
  return notices;
}

/** A service whose type has changed counts as a new service, so it gets none of the changes. */
export function withChangedSettings(
  registered: readonly ServiceRevision[],
  discovered: readonly Service[],
): readonly Service[] {
  return discovered.map((service) => {
    const former = registered.find(({ name, type }) => name === service.name && type === service.type);
    if (former?.announcedSettings === undefined) return service;
    const settings = { ...service.settings, ...changesOf(former.settings, former.announcedSettings) };
    return { ...service, settings, announcedSettings: service.settings };
  });
}

function changesOf(settings: HandlerSettings, announced: HandlerSettings): HandlerSettings {
  const before = new Map(Object.entries(announced));
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => before.get(name) !== value));
}
