/**
 * The rights of each function on the table, by kind of partition: the constructs grant them as conditions on the leading key, and the
 * simulations hold the engine of a function to them.
 */

/** The kinds of partitions, each with the pattern of its keys (docs/design.md#keys). */
export const PARTITIONS = {
  invocations: "inv#*",
  objects: "obj#*",
  pools: "pool#*",
  sweeper: "sweeper",
  schedules: "schedules",
  positions: "topic#*",
  registry: "registry",
  notes: "notes",
  kafka: "kafka",
  secret: "secret",
  format: "schema",
} as const;

export type PartitionKind = keyof typeof PARTITIONS;

export interface TableRights {
  readonly reads: readonly PartitionKind[];
  /** Puts and updates. */
  readonly writes: readonly PartitionKind[];
  readonly deletes: readonly PartitionKind[];
  /** Queries both indexes, which contain keys and names of invocations and no payload. */
  readonly queriesIndexes?: true;
  /** Reads the whole table. No condition can narrow this right. */
  readonly scans?: true;
}

/** The functions with rights on the table. */
export type TableRole = "ingress" | "admin" | "worker" | "sweeper" | "topics" | "keys";

/** Each process checks at its start that the table has its format and was written under its secret. */
const CHECKED: readonly PartitionKind[] = ["secret", "format"];
/** The partitions that a driver reads: invocations, the objects and places that they use, and where their handlers are. */
const DRIVEN: readonly PartitionKind[] = ["invocations", "objects", "pools", "registry", "notes", ...CHECKED];
/** The partitions that a driver writes. No driver writes the registry, which decides whose code gets which calls. */
const DRIVES: readonly PartitionKind[] = ["invocations", "objects", "pools", "notes"];
/** Contents of invocations that never started, pieces of large values in objects, turns in lines, and circuits that close. */
const TIDIES: readonly PartitionKind[] = ["invocations", "objects", "pools", "notes"];

export const TABLE_RIGHTS: Readonly<Record<TableRole, TableRights>> = {
  ingress: { reads: DRIVEN, writes: DRIVES, deletes: TIDIES },
  admin: {
    reads: [...DRIVEN, "schedules", "sweeper", "positions", "kafka"],
    // The mark of schedules stands among the items of the sweeper.
    writes: [...DRIVES, "schedules", "sweeper", "registry", "kafka"],
    deletes: [...TIDIES, "schedules", "positions", "registry", "kafka"],
    queriesIndexes: true,
    scans: true,
  },
  worker: {
    reads: [...DRIVEN, "schedules", "sweeper"],
    writes: [...DRIVES, "schedules", "sweeper"],
    deletes: [...TIDIES, "sweeper"],
    queriesIndexes: true,
  },
  sweeper: {
    reads: [...DRIVEN, "schedules", "sweeper", "kafka"],
    writes: [...DRIVES, "schedules", "sweeper", "kafka"],
    deletes: [...TIDIES, "sweeper", "kafka"],
    queriesIndexes: true,
  },
  topics: {
    reads: [...DRIVEN, "positions", "kafka"],
    writes: ["invocations", "objects", "positions", "kafka"],
    deletes: ["invocations", "objects", "positions"],
  },
  // Claims an empty table during the deployment of the stack, so that no other function needs to write these partitions.
  keys: { reads: CHECKED, writes: CHECKED, deletes: [] },
};

/** True if a partition key matches the pattern of one of the kinds. */
export function isWithin(pk: string, kinds: readonly PartitionKind[]): boolean {
  return kinds.some((kind) => {
    const pattern = PARTITIONS[kind];
    return pattern.endsWith("*") ? pk.startsWith(pattern.slice(0, -1)) : pk === pattern;
  });
}
