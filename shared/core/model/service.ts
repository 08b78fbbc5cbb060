/** Services and handlers as a deployment offers them: what discovery reads and the registry keeps. */
import type { HandlerType, ServiceType } from "./target.ts";

/** What a service or a handler may set for itself; absent means "as the level above says". All durations in milliseconds. */
export interface HandlerSettings {
  readonly inactivityTimeoutMs?: number;
  readonly abortTimeoutMs?: number;
  readonly journalRetentionMs?: number;
  readonly idempotencyRetentionMs?: number;
  /** Only the run handler of a workflow has it. */
  readonly workflowRetentionMs?: number;
  readonly lazyState?: boolean;
  readonly private?: boolean;
  readonly retryInitialIntervalMs?: number;
  readonly retryMaxIntervalMs?: number;
  readonly retryFactor?: number;
  /** The first attempt counts. */
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
  /** Absent where the manifest names none: then an empty body and any content type pass. */
  readonly input?: InputRule;
  /** Absent where the manifest names none: then a non-empty output is `application/json`. */
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
  /** The first attempt counts; undefined is without end. */
  readonly maxAttempts?: number;
  readonly onMaxAttempts: "pause" | "kill";
}

/** What holds for one handler after handler, service and server have been asked, in that order. */
export interface EffectiveSettings {
  readonly abortTimeoutMs: number;
  readonly inactivityTimeoutMs: number;
  readonly journalRetentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly workflowRetentionMs: number;
  readonly lazyState: boolean;
  readonly public: boolean;
  readonly retry: RetryPolicy;
}
