/** Reads the queue, the state and the promises of a key from its partition. */
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import type { Engine } from "../engine.ts";
import { reassemble } from "../store/large-record.ts";
import { lifeAt } from "../store/lock-record.ts";
import { INBOX_RANGE, inboxKey, promiseRange } from "../store/object-keys.ts";
import { lockAt } from "../store/object-partition.ts";
import { withoutPendingEdit } from "../lock/state-edits.ts";
import { readState } from "../lock/stored-state.ts";
import { SqlError } from "../ports/sql.ts";
import type { Item } from "../ports/table.ts";
import type { KeyedViews, PromiseView, KeyQueue } from "./reading.ts";
import { readPartition } from "../store/read-partition.ts";
import { opened } from "../store/record-envelope.ts";
import { resultFromStored, StoredResult } from "../store/stored-values.ts";

/** The limit of the state of one key that a statement may read. */
const STATE_MAX_BYTES = 64 * 1024 * 1024;

/** Each view costs a read of the lock and a query of the items beside it. */
export function keyedViews(engine: Engine): KeyedViews {
  const lockOf = async (pk: string) => {
    const lock = await withoutPendingEdit(engine, pk, await lockAt(engine, pk));
    const { life, over } = lifeAt(lock, engine.clock.nowMs());
    return { life, state: over ? EMPTY_STATE : lock.state };
  };
  return {
    queue: (pk) => queueOf(engine, pk),
    async state(pk) {
      const { life, state } = await lockOf(pk);
      const { values, complete } = await readState(engine, pk, life, state, STATE_MAX_BYTES);
      if (complete) return values;
      throw new SqlError(
        "refused",
        `the state of this key has more than ${STATE_MAX_BYTES} bytes; only its handlers can read it`,
      );
    },
    async promises(pk) {
      const { life } = await lockOf(pk);
      const items = await readPartition(engine.table, pk, promiseRange(life));
      return (await reassemble(engine, items, String(life) as Nonce)).map(promiseView);
    },
  };
}

/** Leaves out edits of state, which queue for the key and hold it as invocations do. */
async function queueOf(engine: Engine, pk: string): Promise<KeyQueue> {
  const { holder: last, head, sinceMs, goneAtMs } = await lockAt(engine, pk);
  // The lock of an ended workflow run still names the run as holder.
  const holder = goneAtMs === undefined ? last : undefined;
  const tickets = await readPartition(engine.table, pk, { ...INBOX_RANGE, from: inboxKey(pk, head + 1).sk });
  const waiting = new Map<string, KeyQueue["waiting"][number]>();
  for (const { id, sk, void: isVoid } of tickets) {
    const waits = isVoid !== true && isInvocation(id) && id !== holder?.id;
    // An invocation with two tickets gives the key back at once when the second one is served.
    if (waits && !waiting.has(id)) waiting.set(id, { id, ticket: Number(sk.slice(INBOX_RANGE.from.length)) });
  }
  return {
    sinceMs,
    waiting: [...waiting.values()],
    ...(isInvocation(holder?.id) && { holder: holder.id }),
  };
}

function isInvocation(id: unknown): id is InvocationId {
  return typeof id === "string" && id.startsWith("inv_");
}

/** `completed` is always true: a promise has an item only after its completion. */
function promiseView({ name, sk, b }: Item): PromiseView {
  const result = resultFromStored(decode(StoredResult, opened(b, `the promise ${sk}`)));
  if (result?.kind === "failure") {
    const { code, message } = result.failure;
    return { name: String(name), completed: true, failure: `[${code}] ${message}` };
  }
  return { name: String(name), completed: true, ...(result && { value: result.value }) };
}
