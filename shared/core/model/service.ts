/** Services and handlers as a deployment offers them: the result of a discovery and the content of the registry. */
import type { HandlerType, ServiceType } from "./target.ts";

/**
 * The settings that a service or a handler may choose. If a setting is absent, the setting of the level above
 * counts. All durations are in milliseconds.
 */
export interface HandlerSettings {
  readonly inactivityTimeoutMs?: number;
  readonly abortTimeoutMs?: number;
  readonly journalRetentionMs?: number;
  readonly idempotencyRetentionMs?: number;
  /** Only for the run handler of a workflow. */
  readonly workflowRetentionMs?: number;
  readonly lazyState?: boolean;
  readonly private?: boolean;
  /** Within this time after its acceptance, or after its delay, the first attempt begins; 0 for no deadline. */
  readonly startWithinMs?: number;
  /** Within this time the whole invocation ends; 0 for no deadline. */
  readonly endWithinMs?: number;
  readonly retryInitialIntervalMs?: number;
  readonly retryMaxIntervalMs?: number;
  readonly retryFactor?: number;
  /** Includes the first attempt. */
  readonly retryMaxAttempts?: number;
  readonly retryOnMaxAttempts?: "pause" | "kill";
}

export interface InputRule {
  readonly required: boolean;
  readonly contentType?: string;
  readonly jsonSchema?: unknown;
}

export interface OutputRule {
  readonly contentType?: string;
  readonly setContentTypeIfEmpty: boolean;
  readonly jsonSchema?: unknown;
}

export interface Handler {
  readonly name: string;
  readonly type: HandlerType;
  /** Absent if the manifest has none: the handler then accepts any content type, and an empty body may lack the content type. */
  readonly input?: InputRule;
  /** Absent if the manifest has none: a non-empty output is `application/json`. */
  readonly output?: OutputRule;
  readonly documentation?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly settings: HandlerSettings;
}

export interface Service {
  readonly name: string;
  readonly type: ServiceType;
  readonly handlers: readonly Handler[];
  readonly documentation?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly settings: HandlerSettings;
}

export interface RetryPolicy {
  readonly initialIntervalMs: number;
  readonly maxIntervalMs: number;
  readonly factor: number;
  /** Includes the first attempt; undefined means without limit. */
  readonly maxAttempts?: number;
  readonly onMaxAttempts: "pause" | "kill";
}

/** The settings of one handler, resolved from handler, service and server, in that order. */
export interface EffectiveSettings {
  readonly abortTimeoutMs: number;
  readonly inactivityTimeoutMs: number;
  readonly journalRetentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly workflowRetentionMs: number;
  readonly lazyState: boolean;
  readonly public: boolean;
  /** Absent without a deadline. */
  readonly startWithinMs?: number;
  readonly endWithinMs?: number;
  readonly retry: RetryPolicy;
}
