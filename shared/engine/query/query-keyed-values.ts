/** The tables of the state and the promises of keys, read by key or by a walk over the partitions of objects. */
import { allows, type Narrowing } from "../../core/query/narrowing.ts";
import type { TableShape } from "../../core/query/table-shape.ts";
import { PROMISE, STATE } from "../../core/query/table-shapes.ts";
import type { SqlTable } from "../ports/sql.ts";
import { objectAt, objectsPrefix } from "../store/object-keys.ts";
import { objectPartition } from "../store/object-partition.ts";
import { type Cells, keyCells, type Reading, rowOf, targetsIn } from "./reading.ts";

const TEXT = new TextDecoder("utf-8", { fatal: true });
/** The number of partitions that are read at a time. The state of one may take 64 MiB. */
const TOGETHER = 4;

export function stateTable(reading: Reading): SqlTable {
  return keyedTable(reading, STATE, async (pk) => {
    const values = await reading.keyed.state(pk);
    return [...values].map(([key, value]) => ({
      key,
      key_length: new TextEncoder().encode(key).length,
      value,
      value_utf8: textIn(value),
      value_length: value.length,
    }));
  });
}

export function promiseTable(reading: Reading): SqlTable {
  return keyedTable(reading, PROMISE, async (pk) => {
    const promises = await reading.keyed.promises(pk);
    return promises.map(({ name, completed, value, failure }) => ({
      key: name,
      completed,
      completion_success_value: value,
      completion_success_value_utf8: value && textIn(value),
      completion_failure: failure,
    }));
  });
}

/** The partition of a key. `key` is absent if it is too long to be a part of `pk`. */
interface Keyed {
  readonly pk: string;
  readonly service: string;
  readonly key?: string;
}

function keyedTable(
  reading: Reading,
  shape: TableShape,
  valuesOf: (pk: string) => Promise<readonly Cells[]>,
): SqlTable {
  const { budget, loads } = reading;
  return {
    shape,
    ordered: false,
    async *scan({ narrowing }) {
      for await (const group of grouped(partitionsIn(reading, narrowing))) {
        budget.loads(group.length);
        const all = await Promise.all(group.map(({ pk }) => loads.take(() => valuesOf(pk))));
        for (const [at, { service, key }] of group.entries())
          for (const cells of all[at]!) yield rowOf({ ...keyCells(service, key), ...cells });
      }
    },
  };
}

/** The partitions of the keys that a statement names, or else of all keys of its services. */
async function* partitionsIn(reading: Reading, narrowing: Narrowing): AsyncGenerator<Keyed> {
  const { engine } = reading;
  const targets = targetsIn(narrowing);
  if (targets !== undefined) {
    for (const target of targets) yield { ...target, pk: objectPartition(engine, target) };
    return;
  }
  const services = narrowing.get("service_name");
  for (const service of services?.in ?? [undefined])
    for await (const keyed of walk(reading, service))
      if (allows(services, keyed.service)) yield* wantedIn(reading, keyed, narrowing);
}

async function* walk({ engine, budget }: Reading, service: string | undefined): AsyncGenerator<Keyed> {
  const { keyPrefix } = engine.settings;
  let last: string | undefined;
  let after: string | undefined;
  do {
    budget.page();
    const page = await engine.table.partitions(objectsPrefix(keyPrefix, service), after);
    for (const pk of page.pks) {
      if (pk !== last) yield { ...objectAt(keyPrefix, pk), pk };
      last = pk;
    }
    after = page.next;
  } while (after !== undefined);
}

function* wantedIn({ engine }: Reading, keyed: Keyed, narrowing: Narrowing): Generator<Keyed> {
  const { pk, service, key } = keyed;
  const keys = narrowing.get("service_key");
  const named = keys?.in?.find((one) => objectPartition(engine, { service, key: one }) === pk);
  if (named !== undefined) yield { pk, service, key: named };
  else if (keys?.in === undefined && (key === undefined || allows(keys, key))) yield keyed;
}

/** The first group has one partition, because a LIMIT may need no more. */
async function* grouped(all: AsyncIterable<Keyed>): AsyncGenerator<readonly Keyed[]> {
  let group: Keyed[] = [];
  let size = 1;
  for await (const one of all) {
    if (group.push(one) < size) continue;
    yield group;
    group = [];
    size = Math.min(size * 2, TOGETHER);
  }
  if (group.length > 0) yield group;
}

function textIn(value: Uint8Array): string | undefined {
  try {
    return TEXT.decode(value);
  } catch {
    return undefined;
  }
}
