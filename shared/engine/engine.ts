/** The record of the ports, the settings and the memory of the process: the first parameter of every use case. */
import type { Activity } from "./ports/activity.ts";
import type { Clock } from "./ports/clock.ts";
import type { Codec } from "./ports/codec.ts";
import type { Endpoints } from "./ports/endpoints.ts";
import type { IdSource } from "./ports/id-source.ts";
import type { Log, Meter } from "./ports/log.ts";
import type { Queue, SliceQueue } from "./ports/queue.ts";
import type { SchedulePorts } from "./ports/schedules.ts";
import type { Table } from "./ports/table.ts";
import type { Timers } from "./ports/timers.ts";
import type { Topics } from "./ports/topics.ts";
import type { Tracer } from "./ports/tracer.ts";
import type { Bulkheads } from "./bulkheads/bulkheads.ts";
import type { ActiveInvocations } from "./local/active-invocations.ts";
import type { Registry } from "./ports/registry.ts";
import type { EngineSettings } from "./ports/engine-settings.ts";

export interface Engine {
  /** The journal store: invocations, objects, and the sweeper's progress. */
  readonly table: Table;
  /** The registry: deployments and services. No transaction spans the two stores. */
  readonly meta: Table;
  readonly queue: Queue;
  /** Divides the walks of the sweeper between processes; absent if one process does them alone. */
  readonly slices?: SliceQueue;
  readonly timers: Timers;
  /** The calendar and the wakes of schedules; absent in a process that neither runs nor changes schedules. */
  readonly schedules?: SchedulePorts;
  /** Reads the records of subscriptions; absent in a process that neither reads them nor administers their sources. */
  readonly topics?: Topics;
  readonly endpoints: Endpoints;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Packs records if that saves a write unit; absent if write units cost nothing. */
  readonly codec?: Codec;
  readonly log: Log;
  readonly meter: Meter;
  /** Absent if traces are off; the engine then makes no spans. */
  readonly tracer?: Tracer;
  /** Gets each invocation that ends. Absent if the process neither shows ended invocations nor counts them. */
  readonly activity?: Activity;
  /** The invocations that this process drives now: hints only (I8). */
  readonly activeInvocations: ActiveInvocations;
  /** The resources that the work of this process shares fairly. */
  readonly bulkheads: Bulkheads;
  readonly settings: EngineSettings;
}
