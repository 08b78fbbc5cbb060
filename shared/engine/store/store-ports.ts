/** What the store needs: the ports that its reads and writes go through, without the record of the whole engine. */
import type { Bulkheads } from "../bulkheads/bulkheads.ts";
import type { Clock } from "../ports/clock.ts";
import type { Codec } from "../ports/codec.ts";
import type { EngineSettings } from "../ports/engine-settings.ts";
import type { IdSource } from "../ports/id-source.ts";
import type { Table } from "../ports/table.ts";

/** `Engine` has all of it, so that every caller passes its engine. */
export interface StorePorts {
  /** Invocations: the journal store. */
  readonly table: Table;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Packs records where that saves a write unit; absent where units cost nothing, and nothing is packed. */
  readonly codec?: Codec;
  /** What the work of this process shares fairly. */
  readonly bulkheads: Bulkheads;
  readonly settings: EngineSettings;
}
