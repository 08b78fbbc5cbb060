/** The tables of objects and workflows: who waits for a key, who holds it, its state and its promises. */
import type { Narrowing } from "../core/query/narrowing.ts";
import type { TableShape } from "../core/query/table-shape.ts";
import { INBOX, KEYED_SERVICE_STATUS, PROMISE, STATE } from "../core/query/table-shapes.ts";
import { partitionKey } from "./invocation-cells.ts";
import type { Summary } from "./open-listing.ts";
import { SqlError, type SqlTable } from "./ports/sql.ts";
import { summaries } from "./query-invocations.ts";
import { type Cells, type KeyedTarget, type Reading, rowOf } from "./reading.ts";

const TEXT = new TextDecoder("utf-8", { fatal: true });

/** Those that wait for their key stand in the open index as `pending`. */
export function inboxTable(reading: Reading): SqlTable {
  return openTable(
    reading,
    INBOX,
    ({ status }) => status === "pending",
    ({ id, createdAtMs }) => ({
      id,
      sequence_number: createdAtMs,
    }),
  );
}

const HOLDING = new Set(["ready", "running", "backing-off", "suspended", "paused"]);

/** An open invocation of a handler that needs the key, and does not wait for it, holds it. */
export function keyedStatusTable(reading: Reading): SqlTable {
  return openTable(reading, KEYED_SERVICE_STATUS, isHolder, ({ id }) => ({ invocation_id: id }));
}

function isHolder({ status, handler, service }: Summary, { sharedHandlers }: Reading): boolean {
  return HOLDING.has(status) && !sharedHandlers.has(`${service}/${handler}`);
}

function openTable(
  reading: Reading,
  shape: TableShape,
  isRow: (summary: Summary, reading: Reading) => boolean,
  more: (summary: Summary) => Cells,
): SqlTable {
  return {
    shape,
    ordered: false,
    async *scan({ narrowing }) {
      const open = new Map([...asInvocations(narrowing), ["status", { notIn: ["completed"] }] as const]);
      for await (const summary of summaries(reading, open, "stored", "oldest-first")) {
        if (summary.key === undefined || !isRow(summary, reading)) continue;
        const { id, service, key } = summary;
        yield rowOf({ partition_key: partitionKey(id), service_name: service, service_key: key, ...more(summary) });
      }
    },
  };
}

/** What is said of a service and its key says the same of the invocations of that key. */
function asInvocations(narrowing: Narrowing): Narrowing {
  const service = narrowing.get("service_name");
  const key = narrowing.get("service_key");
  return new Map([
    ...(service === undefined ? [] : [["target_service_name", service] as const]),
    ...(key === undefined ? [] : [["target_service_key", key] as const]),
  ]);
}

export function stateTable(reading: Reading): SqlTable {
  return keyedTable(reading, STATE, async (target) => {
    const values = await reading.keyed.state(target);
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
  return keyedTable(reading, PROMISE, async (target) => {
    const promises = await reading.keyed.promises(target);
    return promises.map(({ name, completed, value, failure }) => ({
      key: name,
      completed,
      completion_success_value: value,
      completion_success_value_utf8: value && textIn(value),
      completion_failure: failure,
    }));
  });
}

/** State and promises stand with their key, and nothing lists the keys that there are. */
function keyedTable(
  { budget }: Reading,
  shape: TableShape,
  rows: (target: KeyedTarget) => Promise<readonly Cells[]>,
): SqlTable {
  return {
    shape,
    ordered: false,
    async *scan({ narrowing }) {
      const services = narrowing.get("service_name")?.in;
      const keys = narrowing.get("service_key")?.in;
      if (services === undefined || keys === undefined) {
        const how = "add WHERE service_name = '...' AND service_key = '...'";
        throw new SqlError("refused", `${shape.name} is read by the key of an object or a workflow; ${how}`);
      }
      for (const service of services)
        for (const key of keys) {
          budget.loads(1);
          for (const cells of await rows({ service, key }))
            yield rowOf({ service_name: service, service_key: key, ...cells });
        }
    },
  };
}

function textIn(value: Uint8Array): string | undefined {
  try {
    return TEXT.decode(value);
  } catch {
    return undefined;
  }
}
