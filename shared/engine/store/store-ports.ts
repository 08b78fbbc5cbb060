/** The ports that the store uses, a part of `Engine`. */
import type { Bulkheads } from "../bulkheads/bulkheads.ts";
import type { Clock } from "../ports/clock.ts";
import type { Codec } from "../ports/codec.ts";
import type { EngineSettings } from "../ports/engine-settings.ts";
import type { IdSource } from "../ports/id-source.ts";
import type { Table } from "../ports/table.ts";

/** `Engine` contains all of these ports, so that a caller passes its engine. */
export interface StorePorts {
  /** The journal store: invocations, objects, and the sweeper's progress. */
  readonly table: Table;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Packs records if that saves a write unit; absent if write units cost nothing. */
  readonly codec?: Codec;
  /** The resources that the work of this process shares fairly. */
  readonly bulkheads: Bulkheads;
  readonly settings: EngineSettings;
}
